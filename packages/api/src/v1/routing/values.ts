import { readEntry } from '@visitor-counter/database/configuration/read-entry';
import { isPrintable } from '@visitor-counter/domain/name-key';
import { isMapping } from '@visitor-counter/domain/parsed-json';
import type { ValueProblem } from '@visitor-counter/domain/read-value';
import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { printableExpected } from '../../http/request-body.ts';
import {
  duplicateParameter,
  invalidParameter,
  invalidValue,
  malformedBody,
  missingParameter,
  type Problem,
  unknownName,
} from '../../problems/problems.ts';

/**
 * Reads the query of a request by its schema: text, whole numbers, and lists where a name may be given again.
 * Empty values count as not given. Throws `duplicate_parameter`, `missing_parameter`, `invalid_parameter`.
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

/**
 * Reads a JSON body by its schema; null counts as not given where the schema does not have it. Throws the same, and
 * `malformed_body` if it is no object.
 */
export function readBody<Schema extends TObject>(schema: Schema, body: unknown): Static<Schema> {
  const isGiven = ([name, value]: [string, unknown]) => {
    const property = schema.properties[name];
    return property === undefined || (value !== '' && (value !== null || Check(property, null)));
  };
  return validated(schema, Object.fromEntries(Object.entries(fieldsIn(body)).filter(isGiven)));
}

/** The answer to a problem with a value, which it does not repeat if the value is that of a secret of the schema. */
export function problemOfValue(
  problem: ValueProblem = { path: '', value: '', expected: '' },
  schema?: TObject,
): Problem {
  if (problem.known !== undefined) return unknownName(problem.path, problem.known);
  const { path, value, expected } = problem;
  return value === undefined
    ? missingParameter(path)
    : invalidValue(path, schema?.properties[path], value, expected);
}

/** Throws `invalid_parameter` for a name that an object has, at `path`, and that is not among the known ones. */
export function requireKnown(given: unknown, known: readonly string[], path = ''): void {
  if (!isMapping(given)) return;
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) throw unknownName(path + unknown, known);
}

function validated<Schema extends TObject>(schema: Schema, values: Record<string, unknown>): Static<Schema> {
  const problems: ValueProblem[] = [];
  const read = readEntry(schema, values, '', problems);
  if (read === undefined || problems.length > 0) throw problemOfValue(problems[0], schema);
  for (const [name, property] of Object.entries(schema.properties)) {
    if (!textsIn(values[name], property).every(isPrintable))
      throw invalidValue(name, property, values[name], printableExpected);
  }
  return read;
}

/** The lines of a note. Other text is names and their like, which have no control characters where they are made. */
function textsIn(value: unknown, schema: TSchema): string[] {
  const texts = [value].flat().filter((one) => typeof one === 'string');
  return texts.flatMap((text) => ('contentMediaType' in schema ? text.split(/[\t\r\n]/) : text.trim()));
}

/** The member of an object or the item of a list; undefined if there is none. */
export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/**
 * The member of an item of a list as text, as CSV has it; empty if it is missing. Values that are neither text nor a number
 * are the text of their JSON, which no field accepts.
 */
export function textIn(item: unknown, name: string): string {
  const value = member(item, name) ?? '';
  return typeof value === 'string' ? value : JSON.stringify(value);
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

/** A body that its route reads itself. */
export interface RawBody {
  /** Its schema as JSON; undefined if it is text only. */
  readonly json?: TSchema;
  /** The media types in which it may be sent as text, such as `text/csv`, and what the text then is. */
  readonly texts?: Readonly<Record<string, string>>;
}

/** The fields of a body that was sent as JSON. Throws `malformed_body` if it is no object. */
export function fieldsIn(sent: unknown): Readonly<Record<string, unknown>> {
  if (isMapping(sent)) return sent;
  throw malformedBody('The body must be a JSON object.');
}

/** The media types in which the body of a route may be sent, as text for the reference. */
export function mediaTypesOf({ json, texts = {} }: RawBody = { json: Type.Unknown() }): string {
  return [...(json ? ['application/json'] : []), ...Object.keys(texts)].join(' or ');
}

/** Throws `invalid_parameter` for two items with the same key. */
export function requireDistinct<Item>(
  items: readonly Item[],
  field: string,
  keyOf: (item: Item) => string,
): void {
  const keys = items.map(keyOf);
  const index = keys.findIndex((key, at) => keys.indexOf(key) !== at);
  if (index >= 0) throw invalidParameter(`items[${index}].${field}`, keys[index], 'one that is given once');
}
