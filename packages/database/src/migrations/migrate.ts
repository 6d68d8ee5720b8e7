import { setTimeout as delay } from 'node:timers/promises';
import { BackOff } from '@visitor-counter/service/back-off';
import { reasonOf } from '@visitor-counter/service/errors';
import type { Logger } from '@visitor-counter/service/logger';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type pg from 'pg';
import { lockKeys, trySessionLock } from '../sql/advisory-locks.ts';
import { connect } from '../sql/connect.ts';
import { isCancelled, isDatabaseUnavailable, isLockBusy, notReady } from '../sql/unavailable.ts';
import { expectedInstead, requireOwnSession, requireWritable } from '../sql/unusable.ts';
import { type ApplyOptions, applyMigrations } from './apply-migrations.ts';
import { migrationNames, migrations } from './migrations.ts';
import { nameOf, requireServable } from './schema-state.ts';

/** The oldest server that is tested, as PostgreSQL numbers its versions. */
export const oldestServer = 150_000;

/** How long a process waits before it tries again to get the lock (ms). */
const lockInterval = 200;

/**
 * Brings the schema of a database up to date and returns the names of the migrations that it applied. `changeUrl` is the
 * same database with a user who may change the schema; with a user who may not, it only checks that nothing has to be
 * changed. A schema that a later release has changed stays as it is.
 *
 * Several processes may call it at the same time: one applies the migrations, the others wait and find nothing left to
 * do. Throws a ConfigurationError if a URL or the database that it leads to cannot be used as it is, if the user may not
 * make a change that is needed, or if the schema is from before the first release, or of a later one with which
 * programs of this release cannot serve; it then changes nothing.
 */
export async function migrate(url: string, changeUrl = url, options: ApplyOptions = {}): Promise<string[]> {
  if (changeUrl === url) return migrateWith(url, 'DATABASE_URL', options);
  const applied = await migrateWith(changeUrl, 'DATABASE_MIGRATE_URL', options);
  /* Also if both URLs are not of the same database. */
  await migrateWith(url, 'DATABASE_URL', options);
  return applied;
}

async function migrateWith(url: string, setting: string, options: ApplyOptions): Promise<string[]> {
  const database = connect(url, { applicationName: 'visitor-counter migrate', maxConnections: 2 });
  try {
    const lock = await database.pool.connect();
    try {
      await requireServer(lock);
      await requireOwnSession(database.pool, lock);
      await requireWritable(lock);
      await takeLock(lock, options.stopping);
      const { applied, missing } = await requireServable(lock);
      if (applied.length === 0) await requireNoTables(lock);
      if (missing.length > 0) {
        await refuseOtherUsers(lock, missing);
        const those = migrations.filter(({ name }) => missing.includes(name));
        await applyMigrations(database, lock, those, options);
      }
      await lock.query('select begin_epoch_if_behind()');
      return [...missing];
    } finally {
      lock.release(true);
    }
  } catch (error) {
    const expected = expectedInstead(error);
    throw expected === undefined ? error : new ConfigurationError(setting, '…', expected);
  } finally {
    await database.close();
  }
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

/** Without a statement that waits: an index that is built concurrently would wait for it, and it for the index. */
async function takeLock(client: pg.ClientBase, signal?: AbortSignal): Promise<void> {
  while (!(await trySessionLock(client, lockKeys.migration))) {
    signal?.throwIfAborted();
    await delay(lockInterval);
  }
}

/** Throws an error of an unavailable database for tables without a record of migrations, as while a dump is restored: it contains both. */
async function requireNoTables(client: pg.ClientBase): Promise<void> {
  const { rowCount } = await client.query(`select where to_regclass('crossing') is not null`);
  if (rowCount !== 0) throw Object.assign(new Error('the database is being restored'), { code: notReady });
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

/** A database by its URLs. */
interface DatabaseUrls {
  readonly url: string;
  /** With a user who may change the schema. */
  readonly changeUrl: string;
}

/**
 * Whether a backup with these migrations can be restored: false for one that this release does not have, or that lacks
 * one which came before its last one.
 */
export function fitsMigrations(applied: readonly string[]): boolean {
  return applied.length > 0 && migrationNames.slice(0, applied.length).join() === applied.join();
}

/** Creates the tables in an empty schema as they were after these migrations, for which `fitsMigrations` is true. */
export async function createTables(url: string, applied: readonly string[]): Promise<void> {
  const database = connect(url, { applicationName: 'visitor-counter restore', maxConnections: 2 });
  try {
    const client = await database.pool.connect();
    const first = migrations.slice(0, applied.length);
    await applyMigrations(database, client, first).finally(() => client.release(true));
  } finally {
    await database.close();
  }
}

/**
 * Brings the schema up to date. Retries as long as the database is unavailable or too slow, since it may start after the
 * service, and calls `onUnavailable` each time. Throws any other error, and the signal's reason.
 */
export async function migrateWhenAvailable(
  { url, changeUrl }: DatabaseUrls,
  log: Logger,
  stopping: AbortSignal,
  onUnavailable: () => void = () => {},
): Promise<void> {
  const backOff = new BackOff({ first: 200, longest: 5_000 });
  const onBlocked = (holder: string) => {
    onUnavailable();
    log.warn({ holder }, 'the schema cannot be changed yet: a transaction uses its tables; retrying');
  };
  for (;;) {
    stopping.throwIfAborted();
    try {
      const applied = await migrate(url, changeUrl, { onBlocked, stopping });
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
