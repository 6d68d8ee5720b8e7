import { isMapping } from '@visitor-counter/domain/parsed-json';
import type { ReadValue, ValueProblem } from '@visitor-counter/domain/read-value';
import Type from 'typebox';
import { Check } from 'typebox/value';

type Read<Value> = (value: unknown, path: string) => ReadValue<Value>;

/** The schema of a value that a function of the domain reads, which names the invalid part; or null. */
export function readBy<Value>(read: Read<Value>, description: string, shape: Type.TSchema) {
  return Type.Unsafe<Value | null>({ ...Type.Union([shape, Type.Null()]), description, read });
}

function hasReader(schema: object): schema is { readonly read: Read<unknown> } {
  return 'read' in schema;
}

/** What somebody has given cannot be saved; the problems, of which there is one at least, have the paths of fields. */
export class InvalidField extends Error {
  override readonly name = 'InvalidField';
  readonly problems: readonly ValueProblem[];
  /** What the value names and does not exist, if that is the problem. */
  readonly unknown: 'store' | 'group' | 'report' | undefined;

  constructor(problems: readonly ValueProblem[], unknown?: InvalidField['unknown']) {
    super(`${problems.map(({ path }) => path).join(', ')} cannot be saved`);
    this.problems = problems;
    this.unknown = unknown;
  }
}

/** `value` is undefined for a field that is missing. */
export function invalid(
  path: string,
  value: unknown,
  expected: string,
  unknown?: InvalidField['unknown'],
): InvalidField {
  return new InvalidField([{ path, value, expected }], unknown);
}

export function missing(path: string, expected: string): InvalidField {
  return invalid(path, undefined, expected);
}

/** Throws InvalidField with all of the fields that what is new must have and that are not given. */
export function requireFields<Name extends string>(
  { properties }: { readonly properties: Readonly<Record<Name, Type.TSchema>> },
  given: { readonly [Field in Name]?: unknown },
  what: string,
  names: readonly Name[],
): void {
  const problems = names
    .filter((name) => given[name] === undefined)
    .map((path) => {
      return {
        path,
        value: undefined,
        expected: `${expectation(properties[path])}, since this ${what} is new`,
      };
    });
  if (problems.length > 0) throw new InvalidField(problems);
}

/** The path of a field; that of the whole is empty. */
export function pathOf(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/**
 * Reads what is given of an entry, and adds a problem for each other part: an entry lacks properties that cannot be used.
 * Undefined if nothing can be used.
 */
export function readEntry<Schema extends Type.TObject>(
  schema: Schema,
  value: unknown,
  path: string,
  problems: ValueProblem[],
): Type.Static<Schema> | undefined {
  const { properties } = schema;
  const required = requiredIn(schema);
  const known = Object.keys(properties);
  if (!isMapping(value)) {
    problems.push({ path, value, expected: `a mapping with ${known.join(', ')}` });
    return undefined;
  }
  const given = Object.keys(value).filter((name) => value[name] !== undefined);
  const unknown = given.filter((name) => !known.includes(name));
  problems.push(...unknown.map((name) => ({ path: pathOf(path, name), known })));
  const read: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    if (value[name] !== undefined) {
      const part = readValue(property, value[name], pathOf(path, name), problems);
      if (part !== undefined) read[name] = part;
    } else if (required.includes(name))
      problems.push({ path: pathOf(path, name), value: undefined, expected: expectation(property) });
  }
  return isComplete(schema, read) ? read : undefined;
}

/** Of an object without required properties, TypeBox has no list. */
function requiredIn({ required }: { readonly required?: readonly string[] }): readonly string[] {
  return required ?? [];
}

/** Its values were checked one by one. */
function isComplete<Schema extends Type.TObject>(
  schema: Schema,
  read: Readonly<Record<string, unknown>>,
): read is Readonly<Record<string, unknown>> & Type.Static<Schema> {
  return requiredIn(schema).every((name) => read[name] !== undefined);
}

function readValue(schema: Type.TSchema, value: unknown, path: string, problems: ValueProblem[]): unknown {
  if (hasReader(schema) && value !== null) {
    const read = schema.read(value, path);
    problems.push(...(read.problems ?? []));
    return read.value;
  }
  if (Type.IsArray(schema) && Array.isArray(value)) {
    const before = problems.length;
    const items = value.map((item, index) => readValue(schema.items, item, `${path}[${index}]`, problems));
    if (problems.length > before) return undefined;
    if (Check(schema, items)) return items;
  }
  if (Type.IsObject(schema)) return readEntry(schema, value, path, problems);
  if (Check(schema, value)) return value;
  problems.push({ path, value, expected: expectation(schema) + quotesHint(schema, value) });
  return undefined;
}

/** YAML and JSON read a bare 4711 as a number and a bare true as a boolean. */
function quotesHint(schema: Type.TSchema, value: unknown): string {
  const unquoted = typeof value === 'number' || typeof value === 'boolean';
  return unquoted && 'type' in schema && schema.type === 'string' ? ', in quotes' : '';
}

/** The expected value, for messages. */
export function expectation(schema: Type.TSchema): string {
  return 'description' in schema ? String(schema.description) : 'a value';
}
