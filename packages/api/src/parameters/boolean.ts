import { invalidParameter } from '../problems.ts';
import type { ParameterName, Parameters } from './parameters.ts';

/** true, false, 1 or 0 in any case; undefined when it is not given. Throws `invalid_parameter`. */
export function optionalBoolean(parameters: Parameters, name: ParameterName): boolean | undefined {
  const value = parameters.optional(name);
  if (value === undefined) return undefined;
  const meaning = words.get(String(value).toLowerCase());
  if (meaning === undefined) throw invalidParameter(name, 'true, false, 1 or 0');
  return meaning;
}

const words: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);
