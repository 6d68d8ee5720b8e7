import { type RawBuilder, sql } from 'kysely';

/** The condition that all of these are true; `false` and undefined are left out. */
export function allOf(
  ...conditions: readonly (RawBuilder<unknown> | false | undefined)[]
): RawBuilder<unknown> {
  const given = conditions.filter((condition) => condition !== false && condition !== undefined);
  return sql.join([sql`true`, ...given], sql` and `);
}
