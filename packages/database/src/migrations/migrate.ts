import { setTimeout as delay } from 'node:timers/promises';
import { BackOff } from '@visitor-counter/service/back-off';
import type { Logger } from '@visitor-counter/service/logger';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import { connect, type Database } from '../sql/connect.ts';
import { onClient } from '../sql/run-statement.ts';
import { isDatabaseUnavailable, reasonOf } from '../sql/unavailable.ts';
import * as firstSchema from './20261123T0000-first-schema.ts';
import { appliedMigrations } from './applied-migrations.ts';

const migrations: Readonly<Record<string, Migration>> = {
  '20261123T0000-first-schema': firstSchema,
};

/** The migrations of this release, in their order. */
export const migrationNames: readonly string[] = Object.keys(migrations);

/** The key of an advisory lock; nothing else in the same database may use it. */
const migrationLock = 7_210_311_504;

/**
 * Brings the schema of a database up to date and returns the names of the migrations that it applied. `changeUrl` is the
 * same database with a user who may change the schema; with a user who may not, it only checks that nothing has to be
 * changed.
 *
 * Several processes may call it at the same time: one applies the migrations, the others wait and find nothing left to
 * do. Throws a ConfigurationError if the server refuses the user, the password or the database of a URL, if the user
 * may not make a change that is needed, or if the schema is from before the first release or from a later one; it
 * then changes nothing.
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
    const lock = await database.pool.connect().catch((error: unknown) => refused(error, setting));
    await lock.query('select pg_advisory_lock($1)', [migrationLock]);
    try {
      const done = (await appliedMigrations(onClient(lock))) ?? [];
      refuseOtherSchemas(lock, done);
      const missing = Object.keys(migrations).filter((name) => !done.includes(name));
      const applied = missing.length > 0 ? await applyAll(database, lock, missing) : [];
      if (applied.length > 0) await lock.query('select grant_access()');
      await lock.query('select begin_history()');
      return applied;
    } finally {
      lock.release(true);
    }
  } finally {
    await database.close();
  }
}

/** Class 28: user or password refused. 3D000: the database does not exist. 42501: the user may not connect to it. */
function refused(error: unknown, setting: string): never {
  if (error instanceof pg.DatabaseError && /^(28...|3D000|42501)$/.test(error.code ?? '')) {
    const expected = `a user, password and database that the server accepts; it answers: ${error.message}`;
    throw new ConfigurationError(setting, '…', expected);
  }
  throw error;
}

/** The schema is known by the names of its migrations. They begin with their time, so a later one has a later name. */
function refuseOtherSchemas(client: pg.PoolClient, applied: readonly string[]): void {
  const others = applied.filter((name) => !Object.hasOwn(migrations, name));
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

async function applyAll(
  { kysely }: Database,
  client: pg.PoolClient,
  missing: readonly string[],
): Promise<string[]> {
  await refuseOtherUsers(client, missing);
  /* Found by their schema: another one may have the tables from before a restore. */
  const { rows } = await client.query<{ name: string }>('select current_schema()::text as name');
  const migrator = new Migrator({
    db: kysely,
    provider: { getMigrations: async () => ({ ...migrations }) },
    ...(rows[0]?.name && { migrationTableSchema: rows[0].name }),
  });
  const { error, results } = await migrator.migrateTo(missing.at(-1) ?? '');
  if (error) throw error;
  return (results ?? []).map(({ migrationName }) => migrationName);
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
export interface DatabaseUrls {
  readonly url: string;
  /** With a user who may change the schema. */
  readonly changeUrl: string;
}

/**
 * Whether a backup with these migrations can be restored: false for one that this release does not have, or that lacks
 * one which came before its last one.
 */
export function fitsMigrations(applied: readonly string[]): boolean {
  return applied.length > 0 && Object.keys(migrations).slice(0, applied.length).join() === applied.join();
}

/** Creates the tables in an empty schema as they were after these migrations, for which `fitsMigrations` is true. */
export async function createTables(url: string, applied: readonly string[]): Promise<void> {
  const database = connect(url, { applicationName: 'visitor-counter restore', maxConnections: 2 });
  try {
    const client = await database.pool.connect();
    await applyAll(database, client, applied).finally(() => client.release(true));
  } finally {
    await database.close();
  }
}

/**
 * Brings the schema up to date. Retries as long as the database is unavailable, since it may start after the service,
 * and calls `onUnavailable` each time. Throws any other error, and the signal's reason.
 */
export async function migrateWhenAvailable(
  { url, changeUrl }: DatabaseUrls,
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
      if (!isDatabaseUnavailable(error)) throw error;
      onUnavailable();
      const pause = backOff.next();
      log.warn({ reason: reasonOf(error), pause }, 'database unavailable; retrying');
      await delay(pause, undefined, { signal: stopping }).catch(() => {});
    }
  }
}
