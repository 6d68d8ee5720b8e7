import { programs } from './programs.ts';

console.log(programs.map(({ debianPackages }) => debianPackages).join(' '));
