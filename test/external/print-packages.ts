import { programs } from './programs.ts';

console.log(programs.map(({ debianPackage }) => debianPackage).join(' '));
