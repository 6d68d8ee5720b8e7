import { sql } from 'kysely';
import type { Database } from '../sql/connect.ts';
import type { Db } from '../sql/query-builder.ts';

/** What the processes record in the database, and its clock, in the units of metrics. Instants are Unix times in seconds. */
export interface DatabaseState {
  /** By how much the database's clock is ahead of this process (s), without the time that the query took. */
  readonly clockAhead: number;
  /** How long ago the oldest change was written that occupancy does not contain (s); 0 if it contains all. */
  readonly projectionPending: number;
  /** When a gateway last could store messages; null before the first. */
  readonly storingSeenAt: number | null;
  /** When the last backup was taken; null before the first. */
  readonly backupAt: number | null;
}

/** Reads the state of the database and of what the other processes record in it. */
export async function readDatabaseState(db: Db): Promise<DatabaseState> {
  const begin = Date.now();
  const { rows } = await sql<DatabaseState & { clock: number }>`${state}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('the state of the database has no row');
  const { clock, ...same } = row;
  return { ...same, clockAhead: aheadOf(clock, begin / 1_000, Date.now() / 1_000) };
}

/** 0 if `clock` is between the beginning and the end of the query, else its distance from the nearer one. */
function aheadOf(clock: number, begin: number, end: number): number {
  return Math.max(0, clock - end) + Math.min(0, clock - begin);
}

const state = sql.raw(`
  select epoch_ms(clock_timestamp()) / 1000 as clock,
    greatest(0, epoch_ms(clock_timestamp()) - epoch_ms(least(
      (select written_at from mark where first is not null order by id limit 1),
      (select written_at from mark where first is null order by id limit 1)
    ))) / 1000 as projection_pending,
    (select epoch_ms(max(storing_at)) / 1000 from gateway) as storing_seen_at,
    (select epoch_ms(backed_up_at) / 1000 from installation) as backup_at`);

/** The identity of a database, which a later one at the same address does not share. */
export async function installationId(db: Db): Promise<string> {
  const row = await db.selectFrom('installation').select('id').executeTakeFirst();
  return row?.id ?? '';
}

/** What `admin doctor` checks of a database and its server. */
export interface DatabaseFacts {
  /** As PostgreSQL numbers its versions: 150014 is 15.14. */
  readonly versionNumber: number;
  readonly version: string;
  readonly name: string;
  readonly user: string;
  readonly isSuperuser: boolean;
  /** A standby accepts no writes. */
  readonly isStandby: boolean;
  /** Settings of the server, by name, as they are at the beginning of a session of this user. */
  readonly settings: Readonly<Record<string, string>>;
  /** Bytes on its disk. */
  readonly size: number;
  /** The address of the server; null for a local socket. A proxy may have another one. */
  readonly serverAddress: string | null;
  /** The folder of the server; null if this user may not see it. */
  readonly dataDirectory: string | null;
}

/**
 * Settings that decide whether a committed transaction survives a power cut, how many may connect, whether a standby
 * cancels long reads, and whether anything may be written.
 */
const settings = [
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'max_connections',
  'hot_standby_feedback',
  'default_transaction_read_only',
];

/** Reads the facts without a table of this product: the database may be empty. */
export async function inspectDatabase({ kysely }: Pick<Database, 'kysely'>): Promise<DatabaseFacts> {
  const { rows } = await sql<DatabaseFacts>`
    select current_setting('server_version_num')::integer as version_number,
      split_part(current_setting('server_version'), ' ', 1) as version,
      current_database() as name, current_user as "user",
      current_setting('is_superuser') = 'on' as is_superuser, pg_is_in_recovery() as is_standby,
      (select json_object_agg(pg_settings.name, reset_val) from pg_settings
        where pg_settings.name = any(${settings})) as settings,
      pg_database_size(current_database()) as size, host(inet_server_addr()) as server_address,
      (select setting from pg_settings where pg_settings.name = 'data_directory') as data_directory`.execute(
    kysely,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the database returned no row');
  return row;
}
