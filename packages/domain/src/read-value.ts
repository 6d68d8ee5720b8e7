import { isMapping, type Mapping } from './parsed-json.ts';

/* Reads settings that a person entered: every problem is reported, not only the first. */

/**
 * A problem at a path of a setting, such as `week.monday[0]`: a value, and what was expected; or an unknown field, and the
 * known ones.
 */
export type ValueProblem =
  | { readonly path: string; readonly value: unknown; readonly expected: string; readonly known?: never }
  | { readonly path: string; readonly known: readonly string[] };

/** A setting that was read: its value, or its problems. */
export type ReadValue<Value> =
  | { readonly value: Value; readonly problems?: never }
  | { readonly value?: never; readonly problems: readonly ValueProblem[] };

/** The fields of a mapping; only the known ones are allowed. Undefined, with a problem added, for any other value. */
export function readFields(
  value: unknown,
  path: string,
  known: readonly string[],
  problems: ValueProblem[],
): Mapping | undefined {
  if (!isMapping(value)) {
    problems.push({ path, value, expected: `a mapping with ${known.join(', ')}` });
    return undefined;
  }
  const fields = { ...value };
  const unknown = Object.keys(fields).filter((name) => !known.includes(name));
  for (const name of unknown) problems.push({ path: `${path}.${name}`, known });
  return fields;
}

/** A list of at most `most` items; empty, with a problem added, for any other value. */
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
