import { setTimeout as delay } from 'node:timers/promises';
import { BackOff } from '@visitor-counter/service/back-off';
import { reasonOf } from '@visitor-counter/service/errors';
import type { Logger } from '@visitor-counter/service/logger';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { Migrator } from 'kysely/migration';
import type pg from 'pg';
import { connect, type Database } from '../sql/connect.ts';
import {
  expectedInstead,
  isCancelled,
  isDatabaseUnavailable,
  isLockBusy,
  requireOwnSession,
  requireWritable,
} from '../sql/unavailable.ts';
import { migrations, nameOf, requireKnown, type SchemaMigration } from './schema-state.ts';

/** The oldest server that is tested, as PostgreSQL numbers its versions. */
export const oldestServer = 150_000;

/**
 * Brings the schema of a database up to date and returns the names of the migrations that it applied. `changeUrl` is the
 * same database with a user who may change the schema; with a user who may not, it only checks that nothing has to be
 * changed.
 *
 * Several processes may call it at the same time: one applies the migrations, the others wait and find nothing left to
 * do. Throws a ConfigurationError if a URL or the database that it leads to cannot be used as it is, if the user may not
 * make a change that is needed, or if the schema is of another release; it then changes nothing.
 */
export async function migrate(url: string, changeUrl = url): Promise<string[]> {
  if (changeUrl === url) return migrateWith(url, 'DATABASE_URL');
  const applied = await migrateWith(changeUrl, 'DATABASE_MIGRATE_URL');
  /* Also if both URLs are not of the same database. */
  await migrateWith(url, 'DATABASE_URL');
  return applied;
}

async function migrateWith(url: string, setting: string): Promise<string[]> {
  const database = connect(url, { applicationName: 'visitor-counter migrate', maxConnections: 2 });
  try {
    const client = await database.pool.connect();
    try {
      await requireServer(client);
      await requireOwnSession(database.pool, client);
      await requireWritable(client);
      const { missing } = await requireKnown(client);
      if (missing.length > 0) await refuseOtherUsers(client, missing);
      const applied = missing.length > 0 ? await applyMigrations(database, migrations) : [];
      await client.query('select begin_epoch_if_behind()');
      return applied;
    } finally {
      client.release(true);
    }
  } catch (error) {
    const expected = expectedInstead(error);
    throw expected === undefined ? error : new ConfigurationError(setting, '…', expected);
  } finally {
    await database.close();
  }
}

/** Applies those of `known` that were not applied. Kysely lets one process after the other do this. */
export async function applyMigrations(
  { kysely: db }: Database,
  known: readonly SchemaMigration[],
): Promise<string[]> {
  const all = Object.fromEntries(known.map((migration) => [migration.name, migration]));
  const migrator = new Migrator({ db, provider: { getMigrations: async () => all } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  return results.map(({ migrationName }) => migrationName);
}

/** Throws a ConfigurationError if the server is too old. */
async function requireServer(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ number: number; version: string }>(`
    select current_setting('server_version_num')::integer as number,
      split_part(current_setting('server_version'), ' ', 1) as version`);
  const [{ number, version } = { number: 0, version: 'unknown' }] = rows;
  if (number >= oldestServer) return;
  const expected = `PostgreSQL ${oldestServer / 10_000} or newer; its server is PostgreSQL ${version}`;
  throw new ConfigurationError('the database', nameOf(client), expected);
}

/** Throws a ConfigurationError if the user may not create tables, or owns none of those that there are. */
async function refuseOtherUsers(client: pg.PoolClient, missing: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ user: string; may: boolean }>(`
    select current_user as "user", has_schema_privilege(current_schema(), 'create') and coalesce(
      (select pg_has_role(relowner, 'usage') from pg_class where oid = to_regclass('kysely_migration')), true) as may`);
  const [{ user, may } = { user: '', may: false }] = rows;
  if (may) return;
  const expected = `the schema of this release, but ${missing.join(', ')} is missing, and the user ${user} may not change the schema. Run \`npx pnpm admin database migrate\` with DATABASE_MIGRATE_URL`;
  throw new ConfigurationError('the database', nameOf(client), expected);
}

/**
 * Brings the schema up to date as `migrate` does. Retries as long as the database is unavailable or too slow, since it may
 * start after the service, and calls `onUnavailable` each time. Throws any other error, and the signal's reason.
 */
export async function migrateWhenAvailable(
  url: string,
  changeUrl: string,
  log: Logger,
  stopping: AbortSignal,
  onUnavailable: () => void = () => {},
): Promise<void> {
  const backOff = new BackOff({ first: 200, longest: 5_000 });
  for (;;) {
    stopping.throwIfAborted();
    try {
      const applied = await migrate(url, changeUrl);
      if (applied.length > 0) log.info({ applied }, 'the schema is up to date');
      return;
    } catch (error) {
      const mayPass = isDatabaseUnavailable(error) || isLockBusy(error) || isCancelled(error);
      if (!mayPass) throw error;
      onUnavailable();
      const pause = backOff.next();
      log.warn({ reason: reasonOf(error), pause }, 'database unavailable; retrying');
      await delay(pause, undefined, { signal: stopping }).catch(() => {});
    }
  }
}
