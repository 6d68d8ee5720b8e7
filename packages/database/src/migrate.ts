import { type Migration, Migrator } from 'kysely/migration';
import { connect, type Database } from './connect.ts';
import * as firstSchema from './migrations/20261121T0300-first-schema.ts';
import * as occupancy from './migrations/20261121T0430-occupancy.ts';

/** All migrations in order; a name never changes once it has landed. */
const migrations: Readonly<Record<string, Migration>> = {
  '20261121T0300-first-schema': firstSchema,
  '20261121T0430-occupancy': occupancy,
};

/** Any number that no other user of the same database takes for an advisory lock. */
const migrationLock = 7_210_311_504;

/**
 * Brings the schema up to date and returns the names of what it applied. Safe when several processes do it
 * at once: one works, the others wait for it and find nothing left to do.
 */
export async function migrate(url: string): Promise<string[]> {
  const database = connect(url, { applicationName: 'visitor-counter migrate', maxConnections: 2 });
  try {
    const lock = await database.pool.connect();
    await lock.query('select pg_advisory_lock($1)', [migrationLock]);
    const applied = await applyAll(database).finally(() => lock.release(true));
    return applied;
  } finally {
    await database.close();
  }
}

async function applyAll({ kysely }: Database): Promise<string[]> {
  const migrator = new Migrator({
    db: kysely,
    provider: { getMigrations: async () => ({ ...migrations }) },
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error) throw error;
  return (results ?? []).map(({ migrationName }) => migrationName);
}
