import { Kysely, PostgresDialect } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import * as firstSchema from './migrations/20261121T0300-first-schema.ts';

/** All migrations in order; a name never changes once it has landed. */
const migrations: Readonly<Record<string, Migration>> = {
  '20261121T0300-first-schema': firstSchema,
};

/** Any number that no other user of the same database takes for an advisory lock. */
const migrationLock = 7_210_311_504;

/**
 * Brings the schema up to date and returns the names of what it applied. Safe when several processes do it
 * at once: one works, the others wait for it and find nothing left to do.
 */
export async function migrate(url: string): Promise<string[]> {
  const pool = new pg.Pool({ connectionString: url, application_name: 'visitor-counter migrate', max: 2 });
  try {
    const lock = await pool.connect();
    await lock.query('select pg_advisory_lock($1)', [migrationLock]);
    const applied = await applyAll(pool).finally(() => lock.release(true));
    return applied;
  } finally {
    await pool.end();
  }
}

async function applyAll(pool: pg.Pool): Promise<string[]> {
  const migrator = new Migrator({
    db: new Kysely({ dialect: new PostgresDialect({ pool }) }),
    provider: { getMigrations: async () => ({ ...migrations }) },
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error) throw error;
  return (results ?? []).map(({ migrationName }) => migrationName);
}
