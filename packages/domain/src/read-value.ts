/* Reading of settings that somebody entered: every problem is reported, not only the first. */

/**
 * What is wrong with a setting, and where, such as at `week.monday[0]`: a value, and what was expected; or a field that is
 * unknown, and those that are known.
 */
export type ValueProblem =
  | { readonly path: string; readonly value: unknown; readonly expected: string; readonly known?: never }
  | { readonly path: string; readonly known: readonly string[] };

/** A setting that was read: its value, or the problems of what was given. */
export type ReadValue<Value> =
  | { readonly value: Value; readonly problems?: never }
  | { readonly value?: never; readonly problems: readonly ValueProblem[] };

type Fields = Readonly<Record<string, unknown>>;

/** An object with names, not a list. */
export function isMapping(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of a mapping that may have these; undefined, with a problem added, for anything else. */
export function readFields(
  value: unknown,
  path: string,
  known: readonly string[],
  problems: ValueProblem[],
): Fields | undefined {
  if (!isMapping(value)) {
    problems.push({ path, value, expected: `a mapping with ${known.join(', ')}` });
    return undefined;
  }
  const fields: Fields = { ...value };
  const unknown = Object.keys(fields).filter((name) => !known.includes(name));
  for (const name of unknown) problems.push({ path: `${path}.${name}`, known });
  return fields;
}

/** A list of at most `most` items; empty, with a problem added, for anything else. */
export function readList(
  value: unknown,
  path: string,
  { most, of }: { readonly most: number; readonly of: string },
  problems: ValueProblem[],
): readonly unknown[] {
  if (Array.isArray(value) && value.length <= most) return value;
  const expected = `a list of at most ${most} ${of}`;
  problems.push({ path, value: Array.isArray(value) ? `${value.length} items` : value, expected });
  return [];
}
