/* Reading of settings that somebody entered: every problem is reported, not only the first. */

/** A value of a setting that cannot be used: where it is, such as `week.monday[0]`, and what was expected. */
export interface ValueProblem {
  readonly path: string;
  readonly value: unknown;
  readonly expected: string;
}

/** A setting that was read: its value, or the problems of what was given. */
export type ReadValue<Value> =
  | { readonly value: Value; readonly problems?: never }
  | { readonly value?: never; readonly problems: readonly ValueProblem[] };

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a mapping that may have these; undefined, with a problem added, for anything else. */
export function readFields(
  value: unknown,
  path: string,
  known: readonly string[],
  problems: ValueProblem[],
): Fields | undefined {
  const expected = `a mapping with nothing but ${known.join(', ')}`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    problems.push({ path, value, expected });
    return undefined;
  }
  const fields: Fields = { ...value };
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined)
    problems.push({ path: `${path}.${unknown}`, value: fields[unknown], expected: `nothing: ${expected}` });
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
