import { setTimeout as delay } from 'node:timers/promises';
import { BackOff } from '@visitor-counter/service/back-off';
import type { Logger } from '@visitor-counter/service/logger';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import { connect, type Database } from '../sql/connect.ts';
import { isDatabaseUnavailable, reasonOf } from '../sql/unavailable.ts';
import * as firstSchema from './20261123T0000-first-schema.ts';

const migrations: Readonly<Record<string, Migration>> = {
  '20261123T0000-first-schema': firstSchema,
};

/** The key of an advisory lock; nothing else in the same database may use it. */
const migrationLock = 7_210_311_504;

/**
 * Brings the schema up to date and returns the names of the migrations that it applied. Several processes may call it
 * at the same time: one applies the migrations, the others wait and find nothing left to do. Throws a
 * ConfigurationError if the server refuses the user, the password or the database of the URL, or if the schema is
 * from before the first release or from a later one; it then changes nothing.
 */
export async function migrate(url: string): Promise<string[]> {
  const database = connect(url, { applicationName: 'visitor-counter migrate', maxConnections: 2 });
  try {
    const lock = await database.pool.connect().catch(refused);
    await lock.query('select pg_advisory_lock($1)', [migrationLock]);
    try {
      await refuseOtherSchemas(lock);
      const applied = await applyAll(database);
      await lock.query('select begin_history()');
      return applied;
    } finally {
      lock.release(true);
    }
  } finally {
    await database.close();
  }
}

/** Class 28: user or password refused. 3D000: the database does not exist. */
function refused(error: unknown): never {
  if (error instanceof pg.DatabaseError && /^(28...|3D000)$/.test(error.code ?? '')) {
    const expected = `a user, password and database that the server accepts; it answers: ${error.message}`;
    throw new ConfigurationError('DATABASE_URL', '…', expected);
  }
  throw error;
}

/** The schema is known by the names of its migrations. They begin with their time, so a later one has a later name. */
async function refuseOtherSchemas(client: pg.PoolClient): Promise<void> {
  const { rows: found } = await client.query(`select where to_regclass('kysely_migration') is not null`);
  if (found.length === 0) return;
  const { rows: applied } = await client.query<{ name: string }>('select name from kysely_migration');
  const others = applied.map(({ name }) => name).filter((name) => !Object.hasOwn(migrations, name));
  const [first = ''] = Object.keys(migrations);
  const [other] = others;
  if (other === undefined) return;
  const expected = others.some((name) => name < first) ? notBeforeRelease : notLater(other);
  throw new ConfigurationError('the database', nameOf(client), expected);
}

const notBeforeRelease =
  'a schema of a release, but this one is from before the first release and cannot be updated. Delete the data folder ' +
  '(.data unless DATA_DIR is set), or set DATABASE_URL to a new, empty database. Then register companies and devices ' +
  'again: units send again what they still have';

function notLater(migration: string): string {
  return `a schema of this release, but this one is of a later release (${migration}). Start that release, or restore a backup from before its upgrade`;
}

/** Without user and password. */
function nameOf({ host, port, database }: pg.PoolClient): string {
  return `${database} at ${host}:${port}`;
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

/**
 * Brings the schema up to date. Retries as long as the database is unavailable, since it may start after the service,
 * and calls `onUnavailable` each time. Throws any other error, and the signal's reason.
 */
export async function migrateWhenAvailable(
  url: string,
  log: Logger,
  stopping: AbortSignal,
  onUnavailable: () => void = () => {},
): Promise<void> {
  const backOff = new BackOff({ first: 200, longest: 5_000 });
  for (;;) {
    stopping.throwIfAborted();
    try {
      const applied = await migrate(url);
      if (applied.length > 0) log.info({ applied }, 'the schema is up to date');
      return;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      onUnavailable();
      const pause = backOff.next();
      log.warn({ reason: reasonOf(error), pause }, 'database unavailable; retrying');
      await delay(pause, undefined, { signal: stopping }).catch(() => {});
    }
  }
}
