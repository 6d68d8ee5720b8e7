import { isPrintable } from '@visitor-counter/domain/name-key';
import Type, { type Static, type TBoolean, type TNumber, type TObject, type TString } from 'typebox';
import { Check, Parse } from 'typebox/value';
import { printableExpected, type Submission } from '../../http/request-body.ts';
import { duplicateParameter, invalidValue, missingParameter } from '../../problems/problems.ts';

/** What an operation reads: an object schema of its parameters, in the order of the document. */
export interface Input extends Omit<TObject, 'properties' | 'required'> {
  readonly properties: Readonly<Record<string, ParameterSchema>>;
  readonly required: readonly string[];
}

/** Values that were given, trimmed and not empty. */
export interface Parameters<Values> {
  /** The text of a parameter before any value is validated, for the credential. Throws `missing_parameter`. */
  text(name: keyof Values & string): string;
  /** All values, in the types of their schemas. Throws `invalid_parameter` for the first invalid value. */
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
  return { text, values: () => Parse(input, validated(given, input)) };
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

/** The values of the names in `names`, whose keys are in lower case. */
function pick(submission: Submission, names: ReadonlyMap<string, string>): Map<string, unknown> {
  const given = new Map<string, unknown>();
  for (const [spelling, value] of submission.fields) {
    const name = names.get(spelling.toLowerCase());
    if (name === undefined) continue;
    if (given.has(name)) throw duplicateParameter(name, spelling);
    given.set(name, value);
  }
  return given;
}

function usableValue(name: string, schema: ParameterSchema, value: unknown): string | number | undefined {
  if (value === null || value === undefined) return undefined;
  const types = jsonTypes(schema);
  if (!types.includes(typeof value)) throw invalidValue(name, schema, value, `a ${types.join(' or a ')}`);
  if (typeof value === 'number') return value;
  const text = String(value).trim();
  if (!isPrintable(text)) throw invalidValue(name, schema, text, printableExpected);
  return text === '' ? undefined : text;
}

function validated(given: ReadonlyMap<string, string | number>, input: Input): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(input.properties)) {
    const value = given.get(name);
    if (value === undefined) continue;
    values[name] = toType(schema, value);
    if (!Check(schema, values[name])) throw invalidValue(name, schema, value, expected(schema));
  }
  return values;
}

/** What a parameter can be; each of them may also be given as text. */
type ParameterSchema = TString | TNumber | TBoolean;

/** The JSON types that a parameter may be given in. */
function jsonTypes(schema: ParameterSchema): readonly string[] {
  if (Type.IsBoolean(schema)) return ['string', 'boolean', 'number'];
  return Type.IsNumber(schema) ? ['string', 'number'] : ['string'];
}

/**
 * Converts a given value to the type of its schema; it is not validated yet. Numbers are decimal, with a dot as
 * separator, no sign and no exponent; booleans are true, false, 1 and 0 in any case.
 */
function toType(schema: ParameterSchema, given: string | number): unknown {
  if (Type.IsBoolean(schema)) return booleans.get(String(given).toLowerCase());
  if (Type.IsNumber(schema) && typeof given === 'string') {
    return /^\d+(\.\d+)?$/.test(given) ? Number(given) : undefined;
  }
  return given;
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** Ends the sentence "<parameter> is …, and must be …". */
function expected(schema: ParameterSchema): string {
  if (Type.IsBoolean(schema)) return 'true, false, 1 or 0';
  if (!Type.IsNumber(schema)) return 'text';
  const above = 'exclusiveMinimum' in schema ? ` above ${schema.exclusiveMinimum}` : '';
  const examples = 'examples' in schema && Array.isArray(schema.examples) ? schema.examples : [];
  return `a decimal number${above}, such as ${examples.join(' or ')}`;
}

/**
 * The parameters of the interface: requests are validated by these schemas, and OpenAPI and WSDL are made from
 * them. A value may also be sent as text, which every form and envelope does.
 */

export const CompanyName = Type.String({
  description: 'Name of the company. Compared trimmed, in Unicode NFC and without case.',
  examples: ['Acme'],
  minLength: 1,
});

export const Token = Type.String({
  description: 'The custom security token of the company, of kind `counts`.',
  examples: ['<TOKEN>'],
  writeOnly: true,
  minLength: 1,
});

export const InactiveForHours = Type.Number({
  description: 'Hours without a communication up to now: a decimal number above 0, dot as separator.',
  examples: [24, 2.5],
  exclusiveMinimum: 0,
  format: 'float',
});

export const ShopGroupName = Type.String({
  description: 'Name of one of the company’s shop groups. Compared like CompanyName.',
  examples: ['West'],
  minLength: 1,
});

export const SerialNumber = Type.String({
  description: 'Serial number of one of the company’s devices. Compared like CompanyName.',
  examples: ['CU-0001'],
  minLength: 1,
});

export const DateFrom = Type.String({
  description:
    'Begin of the range. `YYYY-MM-DD`: the business day of each store that begins on that date, in the ' +
    'store’s time zone. Or a date-time as in RFC 3339; without an offset it is the store’s local time.',
  examples: ['2026-11-20', '2026-11-20T08:00:00+01:00'],
  minLength: 1,
});

export const DateTo = Type.String({
  description: 'End of the range, written like DateFrom. A date includes its day, a date-time is exclusive.',
  examples: ['2026-11-20', '2026-11-20T20:00:00+01:00'],
  minLength: 1,
});

export const In = Type.Boolean({
  description:
    '`true`: only entries; `false`: only exits; not given: both. Also 1 and 0. Amount is the same in every case.',
  examples: [true],
});
