import type { Static, TObject } from 'typebox';
import { Check, Parse } from 'typebox/value';
import type { Submission } from '../../http/submission.ts';
import { duplicateParameter, invalidParameter, missingParameter } from '../../problems/problems.ts';
import { expected, jsonTypes, type ParameterSchema, toType } from './parameter-schema.ts';

/** What an operation reads: an object schema of its parameters, in the order of the document. */
export interface Input extends Omit<TObject, 'properties' | 'required'> {
  readonly properties: Readonly<Record<string, ParameterSchema>>;
  readonly required: readonly string[];
}

/** Values that were given, trimmed and not empty. */
export interface Parameters<Values> {
  /** The text of a parameter before any value is judged, for the credential. Throws `missing_parameter`. */
  text(name: keyof Values & string): string;
  /** All values, in the types of their schemas. Throws `invalid_parameter` for the first that is none. */
  values(): Values;
}

/**
 * Picks what an operation reads out of a submission. Names are compared without case, unknown ones ignored;
 * an empty value and `null` count as not given. Throws `duplicate_parameter`, then `invalid_parameter` for
 * a value of a type that the parameter cannot have, then `missing_parameter`.
 */
export function readParameters<Fields extends Input>(
  submission: Submission,
  input: Fields,
): Parameters<Static<Fields>> {
  const given = usableValues(submission, input);
  const text = (name: string) => {
    const value = given.get(name);
    if (value === undefined) throw missingParameter(name);
    return String(value);
  };
  for (const name of input.required) text(name);
  return { text, values: () => Parse(input, judged(given, input)) };
}

/** Every value that was given, in the order of the schema. */
function usableValues(submission: Submission, input: Input): Map<string, string | number> {
  const given = pick(
    submission,
    new Map(Object.keys(input.properties).map((name) => [name.toLowerCase(), name])),
  );
  const usable = new Map<string, string | number>();
  for (const [name, schema] of Object.entries(input.properties)) {
    const value = usableValue(name, schema, given.get(name));
    if (value !== undefined) usable.set(name, value);
  }
  return usable;
}

/** The values of the names (by lower case) that are looked for. */
function pick(submission: Submission, names: ReadonlyMap<string, string>): Map<string, unknown> {
  const given = new Map<string, unknown>();
  for (const [spelling, value] of submission) {
    const name = names.get(spelling.toLowerCase());
    if (name === undefined) continue;
    if (given.has(name)) throw duplicateParameter(name);
    given.set(name, value);
  }
  return given;
}

function usableValue(name: string, schema: ParameterSchema, value: unknown): string | number | undefined {
  if (value === null || value === undefined) return undefined;
  const types = jsonTypes(schema);
  if (!types.includes(typeof value)) throw invalidParameter(name, `a ${types.join(' or a ')}`);
  if (typeof value === 'number') return value;
  const text = String(value).trim();
  if (text.includes('\0')) throw invalidParameter(name, 'text without NUL characters');
  return text === '' ? undefined : text;
}

function judged(given: ReadonlyMap<string, string | number>, input: Input): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(input.properties)) {
    const value = given.get(name);
    if (value === undefined) continue;
    values[name] = toType(schema, value);
    if (!Check(schema, values[name])) throw invalidParameter(name, expected(schema));
  }
  return values;
}
