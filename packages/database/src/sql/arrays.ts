import { sql } from 'kysely';

/** A PostgreSQL array literal of numbers, with null for infinite ones; pg's own conversion of arrays is several times slower. */
export function numberArray(numbers: readonly (number | null)[]): string {
  return `{${JSON.stringify(numbers).slice(1, -1)}}`;
}

/** What a column is compared with that must be one of many numbers: one parameter instead of one for each. */
export function anyOf(numbers: readonly number[]) {
  return sql<number>`any(${numberArray(numbers)}::integer[])`;
}

/** The columns of rows as PostgreSQL arrays, for `unnest`. */
export function numberColumns<const Key extends string>(
  rows: readonly { readonly [Name in Key]: number | null }[],
  ...keys: readonly Key[]
): string[] {
  return keys.map((key) => numberArray(rows.map((row) => row[key])));
}
