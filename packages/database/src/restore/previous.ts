import pg from 'pg';

/** The beginning of the names of schemas that restores have replaced. The time follows, so they are in its order. */
const prefix = 'before_restore_';

/** The name for the schema that a restore replaces. */
export function nameOfPrevious(now: number): string {
  return `${prefix}${new Date(now).toISOString().slice(0, 23).replaceAll(/[-:.]/g, '').toLowerCase()}`;
}

/** The schemas that restores have replaced, newest first. */
export async function findPrevious(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select nspname::text as name from pg_namespace where starts_with(nspname, $1) order by nspname desc',
    [prefix],
  );
  return rows.map(({ name }) => name);
}

/** Deletes a schema with everything in it. */
export async function dropSchema(client: pg.Client, name: string): Promise<void> {
  await client.query(`drop schema ${pg.escapeIdentifier(name)} cascade`);
}
