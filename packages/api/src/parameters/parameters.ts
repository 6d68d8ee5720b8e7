import { duplicateParameter, invalidParameter, missingParameter } from '../problems.ts';
import type { Submission } from './submission.ts';

/** All parameters of the interface in the document's spelling, and what JSON may give them as. */
const jsonTypes = {
  CompanyName: ['string'],
  Token: ['string'],
  InactiveForHours: ['string', 'number'],
  ShopGroupName: ['string'],
  SerialNumber: ['string'],
  DateFrom: ['string'],
  DateTo: ['string'],
  In: ['string', 'boolean', 'number'],
} as const;

export type ParameterName = keyof typeof jsonTypes;

/** What an operation reads, in the order in which missing ones are reported. */
export interface ParameterList {
  readonly required: readonly ParameterName[];
  readonly optional: readonly ParameterName[];
}

/** Values that were given, trimmed and not empty. A number only where JSON gave one. */
export interface Parameters {
  /** Throws `missing_parameter`. */
  text(name: ParameterName): string;
  optional(name: ParameterName): string | number | undefined;
}

/**
 * Picks what an operation reads out of a submission. Names are compared without case, unknown ones ignored;
 * an empty value and `null` count as not given. Throws `duplicate_parameter`, then `invalid_parameter` for
 * a value of a type that the parameter cannot have, then `missing_parameter`.
 */
export function readParameters(submission: Submission, list: ParameterList): Parameters {
  const names = new Map([...list.required, ...list.optional].map((name) => [name.toLowerCase(), name]));
  const given = new Map<ParameterName, unknown>();
  for (const [spelling, value] of submission) {
    const name = names.get(spelling.toLowerCase());
    if (name === undefined) continue;
    if (given.has(name)) throw duplicateParameter(name);
    given.set(name, value);
  }
  const values = new Map([...given].map(([name, value]) => [name, usable(name, value)]));
  const parameters = {
    text: (name: ParameterName) => {
      const value = values.get(name);
      if (value === undefined) throw missingParameter(name);
      return String(value);
    },
    optional: (name: ParameterName) => values.get(name),
  };
  for (const name of list.required) parameters.text(name);
  return parameters;
}

function usable(name: ParameterName, value: unknown): string | number | undefined {
  if (value === null || value === undefined) return undefined;
  const types: readonly string[] = jsonTypes[name];
  if (!types.includes(typeof value)) throw invalidParameter(name, `a ${types.join(' or a ')}`);
  if (typeof value === 'number') return value;
  const text = String(value).trim();
  if (text.includes('\0')) throw invalidParameter(name, 'text without NUL characters');
  return text === '' ? undefined : text;
}
