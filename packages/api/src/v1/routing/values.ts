import type { Static, TObject, TSchema } from 'typebox';
import { Check, Errors } from 'typebox/value';
import { duplicateParameter, invalidParameter, missingParameter } from '../../problems/problems.ts';
import { fieldsIn } from './raw-body.ts';

/**
 * Reads the query of a request by its schema: text, whole numbers, and lists where a name may be given again.
 * Unknown names are ignored, empty values count as not given. Throws `duplicate_parameter`,
 * `missing_parameter`, `invalid_parameter`.
 */
export function readQuery<Schema extends TObject>(schema: Schema, query: unknown): Static<Schema> {
  const given = new Map(Object.entries(typeof query === 'object' && query !== null ? query : {}));
  const values: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const texts = [given.get(name)].flat().filter((text) => typeof text === 'string' && text.trim() !== '');
    if (texts.length > 1 && typeOf(property) !== 'array') throw duplicateParameter(name);
    if (texts.length > 0)
      values[name] = toType(
        property,
        texts.map((text) => String(text).trim()),
      );
  }
  return validated(schema, values);
}

/** Reads a JSON body by its schema. Throws the same, and `malformed_body` for what is no object. */
export function readBody<Schema extends TObject>(schema: Schema, body: unknown): Static<Schema> {
  const values = Object.entries(fieldsIn(body)).filter(([, value]) => value !== null && value !== '');
  return validated(schema, Object.fromEntries(values));
}

function validated<Schema extends TObject>(schema: Schema, values: Record<string, unknown>): Static<Schema> {
  for (const name of schema.required ?? []) {
    if (values[name] === undefined) throw missingParameter(name);
  }
  for (const name of Object.keys(schema.properties)) {
    if ([values[name]].flat().some(hasNul)) throw invalidParameter(name, 'text without NUL characters');
  }
  if (Check(schema, values)) return values;
  const [error] = Errors(schema, values);
  const name = error?.instancePath.split('/')[1] ?? '';
  const property: TSchema | undefined = schema.properties[name];
  throw invalidParameter(name, descriptionOf(property));
}

/** PostgreSQL cannot store or compare NUL characters. */
function hasNul(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0');
}

function toType(schema: TSchema, texts: readonly string[]): unknown {
  const type = typeOf(schema);
  if (type === 'array') return texts;
  const [text = ''] = texts;
  return type === 'integer' && /^\d{1,15}$/.test(text) ? Number(text) : text;
}

function typeOf(schema: TSchema): unknown {
  return 'type' in schema ? schema.type : undefined;
}

/** Ends the sentence "<parameter> must be …". */
function descriptionOf(schema: TSchema | undefined): string {
  return schema && 'description' in schema ? String(schema.description) : 'as documented';
}
