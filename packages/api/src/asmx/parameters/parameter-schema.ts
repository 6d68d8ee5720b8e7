import Type, { type TBoolean, type TNumber, type TString } from 'typebox';

/** What a parameter can be; each of them may also be given as text. */
export type ParameterSchema = TString | TNumber | TBoolean;

/** The JSON types that a parameter may be given in. */
export function jsonTypes(schema: ParameterSchema): readonly string[] {
  if (Type.IsBoolean(schema)) return ['string', 'boolean', 'number'];
  return Type.IsNumber(schema) ? ['string', 'number'] : ['string'];
}

/**
 * What was given, in the type that its schema says; the schema has yet to judge it. Numbers are decimal, with
 * a dot as separator, no sign and no exponent; booleans are true, false, 1 and 0 in any case.
 */
export function toType(schema: ParameterSchema, given: string | number): unknown {
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

/** Ends the sentence "<parameter> must be …". */
export function expected(schema: ParameterSchema): string {
  if (Type.IsBoolean(schema)) return 'true, false, 1 or 0';
  if (!Type.IsNumber(schema)) return 'text';
  const above = 'exclusiveMinimum' in schema ? ` above ${schema.exclusiveMinimum}` : '';
  const examples = 'examples' in schema && Array.isArray(schema.examples) ? schema.examples : [];
  return `a decimal number${above}, such as ${examples.join(' or ')}`;
}
