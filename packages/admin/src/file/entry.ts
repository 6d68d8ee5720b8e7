import { isMapping, type ReadValue, type ValueProblem } from '@visitor-counter/domain/read-value';
import Type from 'typebox';
import { Check } from 'typebox/value';

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
function unknownName(path: string, known: readonly string[]): Problem {
  return { path, found: 'is not known', expected: `nothing but ${known.join(', ')}` };
}

/** The file cannot be applied. The message has a line for each problem: file, path, value, expected. */
export class InvalidFileError extends Error {
  override readonly name = 'InvalidFileError';

  constructor(file: string, problems: readonly Problem[]) {
    const lines = problems.map(
      ({ path, found, expected }) => `${file}: ${path} ${found}: expected ${expected}`,
    );
    super([...lines, 'Nothing was applied.'].join('\n'));
  }
}

/** The schema of an entry of a file: its properties, and its path, such as `companies[0].stores[1]`, which is not in the file. */
export function entry<Properties extends Type.TProperties>(properties: Properties) {
  return Type.Object({ path: Type.String(), ...properties });
}

/** The schema of a list of entries, which may be left out. */
export function entries<Item extends Type.TObject>(item: Item) {
  return Type.Array(item, { description: 'a list', default: [] });
}

type Read<Value> = (value: unknown, path: string) => ReadValue<Value>;

/** The schema of a value that a function of the domain reads, which names the invalid part; or null. */
export function readBy<Value>(read: Read<Value>, description: string) {
  return Type.Unsafe<Value | null>({ description, read });
}

function hasReader(schema: object): schema is { readonly read: Read<unknown> } {
  return 'read' in schema;
}

/** The path of the whole content of a file. */
export const whole = 'document';

/**
 * Reads the usable parts of a value, and adds a problem for each other part. Entries lack unusable properties, and lists
 * lack entries without a required property. Undefined if nothing can be used.
 */
export function readValue(schema: Type.TSchema, value: unknown, path: string, problems: Problem[]): unknown {
  if (Type.IsObject(schema)) return readEntry(schema, value, path, problems);
  if (hasReader(schema) && value !== null) {
    const read = schema.read(value, path);
    problems.push(...(read.problems ?? []).map(problemOf));
    return read.value;
  }
  if (Type.IsArray(schema) && Array.isArray(value)) {
    const before = problems.length;
    const items = value
      .map((item, index) => readValue(schema.items, item, `${path}[${index}]`, problems))
      .filter((item) => item !== undefined);
    if (Type.IsObject(schema.items)) return items;
    if (problems.length > before) return undefined;
  }
  if (Check(schema, value)) return value;
  problems.push(wrongValue(path, value, expectation(schema) + quotesHint(schema, value)));
  return undefined;
}

function problemOf(problem: ValueProblem): Problem {
  if (problem.known !== undefined) return unknownName(problem.path, problem.known);
  const { path, value, expected } = problem;
  return value === undefined ? missingValue(path, expected) : wrongValue(path, value, expected);
}

function readEntry(
  { properties: { path: _, ...properties }, required }: Type.TObject,
  value: unknown,
  path: string,
  problems: Problem[],
): object | undefined {
  const known = Object.keys(properties);
  if (!isMapping(value)) {
    problems.push(wrongValue(path, value, `a mapping with ${known.join(', ')}`));
    return undefined;
  }
  const pathOf = (name: string) => (path === whole ? name : `${path}.${name}`);
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  problems.push(...unknown.map((name) => unknownName(pathOf(name), known)));
  const read: Record<string, unknown> = { path };
  for (const [name, schema] of Object.entries(properties)) {
    const isGiven = Object.hasOwn(value, name);
    const given = isGiven ? readValue(schema, value[name], pathOf(name), problems) : undefined;
    read[name] = given === undefined && 'default' in schema ? schema.default : given;
    if (!isGiven && read[name] === undefined && required.includes(name))
      problems.push(missingValue(pathOf(name), expectation(schema)));
  }
  const isComplete = required.every((name) => read[name] !== undefined);
  return isComplete
    ? Object.fromEntries(Object.entries(read).filter(([, part]) => part !== undefined))
    : undefined;
}

/** YAML reads a bare 4711 as a number and a bare true as a boolean. */
function quotesHint(schema: Type.TSchema, value: unknown): string {
  const unquoted = typeof value === 'number' || typeof value === 'boolean';
  return unquoted && 'type' in schema && schema.type === 'string' ? ', in quotes' : '';
}

/** The expected value, for messages. */
export function expectation(schema: Type.TSchema): string {
  return 'description' in schema ? String(schema.description) : 'a value';
}
