import { sql } from 'kysely';
import type { Database } from '../sql/connect.ts';

/** The identity of a database, which a later one at the same address does not share. */
export async function installationId({ kysely }: Pick<Database, 'kysely'>): Promise<string> {
  const { rows } = await sql<{ id: string }>`select id from installation`.execute(kysely);
  return rows[0]?.id ?? '';
}

/** What a doctor must know about a database and its server. */
export interface DatabaseFacts {
  /** As PostgreSQL numbers its versions: 150014 is 15.14. */
  readonly versionNumber: number;
  readonly version: string;
  readonly name: string;
  readonly user: string;
  readonly isSuperuser: boolean;
  /** A standby accepts no writes. */
  readonly isStandby: boolean;
  /** Settings of the server, by name, as they are for connections of this user. */
  readonly settings: Readonly<Record<string, string>>;
  readonly encoding: string;
  /** Bytes on its disk. */
  readonly size: number;
  /** The address of the server; null for a local socket. A proxy may have another one. */
  readonly serverAddress: string | null;
  /** Of the process of the server that serves this connection. */
  readonly processId: number;
  /** The folder of the server; null if this user may not see it. */
  readonly dataDirectory: string | null;
  /** Replication slots without a reader, and how much write-ahead log the server keeps for each (bytes). */
  readonly idleSlots: readonly { readonly name: string; readonly bytes: number }[];
}

/**
 * Settings that decide whether a committed transaction survives a power cut, how many may connect, and whether a standby
 * cancels long reads.
 */
const settings = [
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'max_connections',
  'hot_standby_feedback',
];

/** Reads the facts without a table of this product: the database may be empty. */
export async function inspectDatabase({ kysely }: Pick<Database, 'kysely'>): Promise<DatabaseFacts> {
  const { rows } = await sql<DatabaseFacts>`
    select current_setting('server_version_num')::integer as "versionNumber",
      split_part(current_setting('server_version'), ' ', 1) as version,
      current_database()::text as name, current_user::text as "user",
      current_setting('is_superuser')::boolean as "isSuperuser", pg_is_in_recovery() as "isStandby",
      (select json_object_agg(pg_settings.name, setting) from pg_settings
        where pg_settings.name = any(${settings}::text[])) as settings,
      current_setting('server_encoding') as encoding,
      pg_database_size(current_database())::float8 as size,
      host(inet_server_addr()) as "serverAddress", pg_backend_pid() as "processId",
      (select setting from pg_settings where pg_settings.name = 'data_directory') as "dataDirectory",
      (select coalesce(json_agg(json_build_object('name', slot_name, 'bytes', pg_wal_lsn_diff(
          case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, restart_lsn
        ))), '[]')
        from pg_replication_slots where not active and restart_lsn is not null) as "idleSlots"`.execute(
    kysely,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the database returned no row');
  return row;
}
