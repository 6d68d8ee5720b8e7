import { InvalidArgumentError } from 'commander';

/** A whole number of 1 or more, for the options of a command. */
export function wholeNumber(value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('expected a whole number, 1 or more');
}
