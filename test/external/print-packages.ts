import { programsFor } from './programs.ts';

/** Prints the Debian packages that the external tests of these projects need; of all projects without one. */
console.log(
  programsFor(process.argv.slice(2))
    .map(({ debianPackages }) => debianPackages)
    .join(' '),
);
