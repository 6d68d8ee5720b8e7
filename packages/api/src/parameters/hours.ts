import { invalidParameter } from '../problems.ts';
import type { ParameterName, Parameters } from './parameters.ts';

/** A decimal number of hours above 0, with a dot as separator and no exponent. Throws `invalid_parameter`. */
export function hours(parameters: Parameters, name: ParameterName): number {
  const value = parameters.optional(name);
  const number = typeof value === 'number' ? value : fromText(value ?? '');
  if (!(number > 0 && number < Number.POSITIVE_INFINITY)) {
    throw invalidParameter(name, 'a decimal number above 0, such as 24 or 2.5');
  }
  return number;
}

function fromText(text: string): number {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
}
