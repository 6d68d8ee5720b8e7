import { type Kysely, sql } from 'kysely';

/** The state of the database, in the units of metrics. Instants are Unix times in seconds. */
export interface DatabaseState {
  /** By how much the database's clock is ahead of this process (s), without the time of the question. */
  readonly clockAhead: number;
  readonly bytes: number;
  /** Connections to the server, of all its databases, and how many it allows. */
  readonly connections: number;
  readonly maxConnections: number;
  /** Transactions since the last freeze of the oldest row: the server stops writing at 2 billion. */
  readonly transactionAge: number;
  /** How long ago the oldest change was written that occupancy does not contain (s); 0 if it contains all. */
  readonly projectionPending: number;
  /** When a gateway last could store messages; null before the first. */
  readonly storingSeenAt: number | null;
  /** When the last backup was taken; null before the first. */
  readonly backupAt: number | null;
}

/** Reads the state of the database and of what the other processes record in it. */
export async function readDatabaseState(db: Kysely<unknown>): Promise<DatabaseState> {
  const begin = Date.now();
  const { rows } = await sql<DatabaseState & { clock: number }>`${state}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('the state of the database has no row');
  const { clock, ...same } = row;
  return { ...same, clockAhead: aheadOf(clock, begin / 1_000, Date.now() / 1_000) };
}

/** 0 if `clock` is between the beginning and the end of the question, else its distance from the nearer one. */
function aheadOf(clock: number, begin: number, end: number): number {
  return Math.max(0, clock - end) + Math.min(0, clock - begin);
}

const state = sql.raw(`
  select extract(epoch from clock_timestamp())::float8 as clock,
    pg_database_size(current_database())::float8 as bytes,
    (select sum(numbackends) from pg_stat_database)::float8 as connections,
    current_setting('max_connections')::float8 as "maxConnections",
    (select age(datfrozenxid) from pg_database where datname = current_database())::float8 as "transactionAge",
    coalesce((select greatest(0, extract(epoch from clock_timestamp() - written_at))
      from change order by id limit 1), 0)::float8 as "projectionPending",
    (select extract(epoch from seen_at) from ingest_life where isfinite(seen_at))::float8 as "storingSeenAt",
    (select extract(epoch from taken_at) from backup order by id desc limit 1)::float8 as "backupAt"`);
