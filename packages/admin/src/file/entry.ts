import { isMapping } from '@visitor-counter/domain/read-value';
import type Type from 'typebox';
import { Compile } from 'typebox/compile';

/** A problem in a file: where, what was found there, what was expected. */
export interface Problem {
  /** The path in the document, such as `companies[0].stores[1].timeZone`. */
  readonly path: string;
  readonly found: string;
  readonly expected: string;
}

/** The longest part of a value that a message repeats, in characters. */
const maxShown = 80;

/** A value that cannot be used. Secrets are never repeated. */
export function wrongValue(path: string, value: unknown, expected: string): Problem {
  if (/\.(secret|value)$/.test(path)) return { path, found: describeSecret(value), expected };
  const text = JSON.stringify(value) ?? String(value);
  const shown = text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
  return { path, found: `is ${shown}`, expected };
}

function describeSecret(value: unknown): string {
  return typeof value === 'string' ? `has ${[...value].length} characters (not shown)` : 'is not text';
}

export function missingValue(path: string, expected: string): Problem {
  return { path, found: 'is missing', expected };
}

/** A name that an entry does not have; `known` are those that it may have. */
export function unknownName(path: string, known: readonly string[]): Problem {
  return { path, found: 'is not known', expected: `nothing but ${known.join(', ')}` };
}

/** The file cannot be applied. The message has a line for each problem: file, path, value, expected. */
export class InvalidFileError extends Error {
  override readonly name = 'InvalidFileError';
  readonly code = 'invalid-file';
  readonly problems: readonly Problem[];

  constructor(file: string, problems: readonly Problem[]) {
    const lines = problems.map(
      ({ path, found, expected }) => `${file}: ${path} ${found}: expected ${expected}`,
    );
    super([...lines, 'Nothing was applied.'].join('\n'));
    this.problems = problems;
  }
}

/** One entry of a topology file, with its path. */
export interface Entry<Value> {
  /** Such as `companies[0].stores[1]`. */
  readonly path: string;
  /** Without the properties that could not be used. */
  readonly value: Value;
  /** The properties that were present but invalid; they must not be reported as missing as well. */
  readonly unusable: ReadonlySet<string>;
}

export type EntryReader<Value> = (
  raw: unknown,
  path: string,
  problems: Problem[],
) => Entry<Value> | undefined;

/**
 * Makes a reader that validates each property of an entry separately and collects the problems. It returns the valid
 * properties, or undefined if a property that identifies the entry is missing.
 */
export function entryReader<Schema extends Type.TObject>(schema: Schema): EntryReader<Type.Static<Schema>> {
  const whole = Compile(schema);
  const properties = new Map(
    Object.entries(schema.properties).map(([key, property]) => [key, propertyReader(property)]),
  );
  return (raw, path, problems) => {
    if (!isMapping(raw)) {
      problems.push(wrongValue(path, raw, `a mapping with ${[...properties.keys()].join(', ')}`));
      return undefined;
    }
    const unusable = new Set<string>();
    const usable = Object.fromEntries(
      Object.entries(raw).filter(([key, value]) => {
        const found = properties.get(key)?.(value, `${path}.${key}`) ?? [
          unknownName(`${path}.${key}`, [...properties.keys()]),
        ];
        if (found.length > 0) unusable.add(key);
        problems.push(...found);
        return found.length === 0;
      }),
    );
    for (const key of schema.required) {
      if (key in raw) continue;
      problems.push(missingValue(`${path}.${key}`, expectation(schema.properties[key])));
    }
    return whole.Check(usable) ? { path, value: usable, unusable } : undefined;
  };
}

type PropertyReader = (value: unknown, path: string) => Problem[];

function propertyReader(schema: Type.TSchema): PropertyReader {
  const validator = Compile(schema);
  const expected = expectation(schema);
  const item = itemReader(schema);
  return (value, path) => {
    if (item && Array.isArray(value)) return value.flatMap((one, i) => item(one, `${path}[${i}]`));
    if (validator.Check(value)) return [];
    return [wrongValue(path, value, expected + quotesHint(schema, value))];
  };
}

/** YAML reads a bare 4711 as a number and a bare true as a boolean. */
function quotesHint(schema: Type.TSchema, value: unknown): string {
  const unquoted = typeof value === 'number' || typeof value === 'boolean';
  return unquoted && 'type' in schema && schema.type === 'string' ? ', in quotes' : '';
}

function itemReader(schema: Type.TSchema): PropertyReader | undefined {
  return 'items' in schema && isMapping(schema.items) ? propertyReader(schema.items) : undefined;
}

/** The expected value, for messages. */
export function expectation(schema: Type.TSchema | undefined): string {
  return schema && 'description' in schema ? String(schema.description) : 'a value';
}
