import { setTimeout as delay } from 'node:timers/promises';
import { BackOff } from '@visitor-counter/service/back-off';
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type pg from 'pg';
import manifest from '../../../../package.json' with { type: 'json' };
import { limitIdleTime } from '../sql/advisory-locks.ts';
import type { Database } from '../sql/connect.ts';
import { isLockBusy } from '../sql/unavailable.ts';
import { migrations, type SchemaMigration } from './migrations.ts';

/**
 * How long a statement of a migration waits for a lock (ms). Everything that needs the same table waits as long: a
 * request for a lock blocks all later ones.
 */
const lockWait = 500;

export interface ApplyOptions {
  /** Called when a transaction of other programs is in the way, before each further attempt; it names the oldest one. */
  readonly onBlocked?: (holder: string) => void;
  readonly stopping?: AbortSignal;
}

/**
 * Applies migrations in their order. Each is a transaction, so the schema is always that of a migration. While a lock is
 * not available, the migration is undone and tried again, without limit: programs that serve never wait for more than
 * `lockWait` at a time. Only one process may call it at a time; `client` is a connection to the same schema.
 */
export async function applyMigrations(
  { kysely }: Database,
  client: pg.ClientBase,
  missing: readonly SchemaMigration[],
  { onBlocked = () => {}, stopping }: ApplyOptions = {},
  known: readonly SchemaMigration[] = migrations,
): Promise<string[]> {
  /* Found by their schema: another one may have the tables from before a restore. */
  const { rows } = await client.query<{ name: string }>('select current_schema()::text as name');
  const all = Object.fromEntries(known.map((migration) => [migration.name, kyselyMigration(migration)]));
  const migrator = new Migrator({
    db: kysely,
    provider: { getMigrations: async () => all },
    ...(rows[0]?.name && { migrationTableSchema: rows[0].name }),
  });
  for (const { name, concurrently = false } of missing) {
    const backOff = new BackOff({ first: 1_000, longest: 5_000 });
    for (;;) {
      const { error } = await migrator.migrateTo(name, { disableTransactions: concurrently });
      if (error === undefined) break;
      if (!isLockBusy(error)) throw error;
      onBlocked(await oldestHolder(client));
      await delay(backOff.next(), undefined, { ...(stopping && { signal: stopping }) }).catch(() => {});
      stopping?.throwIfAborted();
    }
  }
  return missing.map(({ name }) => name);
}

function kyselyMigration({ parts, servesFrom, concurrently }: SchemaMigration): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      if (concurrently) await dropUnfinishedIndexes(db);
      else {
        await limitIdleTime(db);
        await sql`select set_config('lock_timeout', ${`${lockWait}`}, true)`.execute(db);
      }
      if (servesFrom !== undefined) await endOlderPrograms(db, servesFrom);
      for (const part of await parts()) await sql.raw(part).execute(db);
      await sql`update installation set schema_release = ${manifest.version}`.execute(db);
      await sql`select grant_access()`.execute(db);
    },
  };
}

/** Programs of earlier releases end within two seconds: see watch-schema.ts. */
async function endOlderPrograms(db: Kysely<unknown>, servesFrom: string): Promise<void> {
  await sql`update installation set serves_from = ${servesFrom}`.execute(db);
}

/** An index that was not built completely, because its session ended, is not used and not built again. */
async function dropUnfinishedIndexes(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select indexrelid::regclass::text as name from pg_index join pg_class on pg_class.oid = indexrelid
    where not indisvalid and relnamespace = current_schema()::regnamespace`.execute(db);
  for (const { name } of rows) await sql.raw(`drop index concurrently ${name}`).execute(db);
}

/** The session whose transaction has used tables of this schema for the longest time, as far as the user may see it. */
async function oldestHolder(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ holder: string }>(`
    select format('%s, process %s of PostgreSQL', coalesce(nullif(application_name, ''), 'a session'), pid) as holder
    from pg_stat_activity
    where pid <> pg_backend_pid() and pid in (
      select pid from pg_locks join pg_class on pg_class.oid = relation
      where granted and relnamespace = current_schema()::regnamespace
    )
    order by xact_start nulls first limit 1`);
  return rows[0]?.holder ?? 'a transaction that has ended';
}
