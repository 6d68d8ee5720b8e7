import type { RunStatement } from '../sql/run-statement.ts';

/** The names of the migrations that were applied, in order; undefined if there is no schema of this product. */
export async function appliedMigrations(run: RunStatement): Promise<string[] | undefined> {
  const found = await run('find-schema', `select where to_regclass('kysely_migration') is not null`, []);
  if (found.length === 0) return undefined;
  const rows = await run<{ name: string }>('applied-migrations', statement, []);
  return rows.map(({ name }) => name);
}

const statement = 'select name from kysely_migration order by name';
