import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { Database } from '../sql/connect.ts';
import { openSnapshot, type Snapshot } from '../sql/snapshot.ts';
import { isCancelled, isDatabaseUnavailable, isSchemaIncomplete } from '../sql/unavailable.ts';
import { hasHistory, type Position, readPosition, runningBelow } from './position.ts';

/** Why a replica cannot be used, and as a text for the operator. */
export const replicaFaults = {
  unreachable: 'it does not answer',
  not_a_standby: 'it is not a standby',
  another_database: 'it is not a standby of this database in its present history',
  behind: 'it is further behind than DATABASE_READ_MAX_LAG_SECONDS allows',
  ahead: 'it shows what the primary does not show yet',
} as const;

export type ReplicaFault = keyof typeof replicaFaults;

/** The replica cannot be used for this answer; the primary can. */
export class ReplicaRefused extends Error {
  override readonly name = 'ReplicaRefused';
  readonly fault: ReplicaFault;

  constructor(fault: ReplicaFault, cause?: unknown) {
    super(replicaFaults[fault], { cause });
    this.fault = fault;
  }
}

interface ReplicaRead {
  readonly primary: Database;
  readonly replica: Database;
  /** How long the replica may take until it contains what the primary shows (ms). */
  readonly maxLag: number;
}

/** How long a replica may take to answer the few statements that read one row (ms). */
const answerDeadline = 3_000;

/** Polling interval for what the replica has replayed, and for what the primary shows (ms): at first, and at most. */
const firstInterval = 2;
const longestInterval = 50;

/**
 * A snapshot of the replica that contains everything that the primary shows at the time of the call, and nothing that
 * the primary does not show when this resolves. So a caller who reads from both never sees older data than before,
 * whichever process and server answers, and no process has to remember what a caller has seen.
 *
 * Throws a ReplicaRefused. Other errors are those of the primary, and the reason of `signal`.
 */
export async function openReplicaSnapshot(read: ReplicaRead, signal?: AbortSignal): Promise<Snapshot> {
  const position = await readPosition(read.primary);
  const until = performance.now() + read.maxLag;
  const { snapshot, next } = await onReplica(() => catchUp(read, position, until, signal), signal);
  try {
    for (let interval = firstInterval; !(await showsAllOf(read.primary, snapshot.db, next)); interval *= 2) {
      if (performance.now() >= until) throw new ReplicaRefused('ahead');
      await delay(Math.min(interval, longestInterval), undefined, { signal });
    }
    return snapshot;
  } catch (error) {
    await snapshot[Symbol.asyncDispose]();
    throw error;
  }
}

async function onReplica<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ReplicaRefused) throw error;
    throw new ReplicaRefused(isSchemaIncomplete(error) ? 'another_database' : 'unreachable', error);
  }
}

/** A snapshot, and the transaction from which on it shows nothing. */
interface CaughtUp {
  readonly snapshot: Snapshot;
  readonly next: string;
}

/** A server that has lost its power refuses nothing and answers nothing: then the connection is ended. */
async function catchUp(
  { primary, replica, maxLag }: ReplicaRead,
  position: Position,
  until: number,
  signal: AbortSignal | undefined,
): Promise<CaughtUp> {
  let late: NodeJS.Timeout | undefined;
  try {
    const snapshot = await openSnapshot(replica, signal, async (client) => {
      late = setTimeout(() => void client.end().catch(() => {}), maxLag + answerDeadline);
      await reach(client, { primary, position, until, signal });
    });
    try {
      return { snapshot, next: await identify(snapshot.db, position) };
    } catch (error) {
      await snapshot[Symbol.asyncDispose]();
      throw error;
    }
  } finally {
    clearTimeout(late);
  }
}

interface Target {
  readonly primary: Database;
  readonly position: Position;
  readonly until: number;
  readonly signal: AbortSignal | undefined;
}

/** What is replayed when this is read is in every later snapshot. */
const stateStatement = `
  select pg_is_in_recovery() as "isStandby", (select id from history order by number desc limit 1) as history,
    pg_last_wal_replay_lsn() >= $1::pg_lsn and pg_snapshot_xmin(pg_current_snapshot()) >= $2::xid8 as "isReached"`;

interface ReplicaState {
  readonly isStandby: boolean;
  readonly history: string | null;
  /** Null where either is not known. */
  readonly isReached: boolean | null;
}

/** Waits until the server has replayed a position. Throws a ReplicaRefused. */
async function reach(client: pg.PoolClient, { primary, position, until, signal }: Target): Promise<void> {
  for (let interval = firstInterval; ; interval *= 2) {
    const { rows } = await client.query<ReplicaState>(stateStatement, [position.end, position.ended]);
    const { isStandby = false, history = null, isReached = null } = rows[0] ?? {};
    if (!isStandby) throw new ReplicaRefused('not_a_standby');
    if (isReached) return;
    if (isReached === null || performance.now() >= until)
      throw new ReplicaRefused((await hasHistory(primary, history)) ? 'behind' : 'another_database');
    await delay(Math.min(interval, longestInterval), undefined, { signal });
  }
}

/**
 * Throws a ReplicaRefused unless the snapshot is of the same history, and was taken before a promotion. Returns the
 * transaction from which on it shows nothing.
 */
async function identify(db: Kysely<unknown>, { history }: Position): Promise<string> {
  const { rows } = await sql<{ isStandby: boolean; history: string | null; next: string }>`
    select pg_is_in_recovery() as "isStandby", (select id from history order by number desc limit 1) as history,
      pg_snapshot_xmax(pg_current_snapshot())::text as next`.execute(db);
  const [found] = rows;
  if (!found?.isStandby) throw new ReplicaRefused('not_a_standby');
  if (found.history !== history) throw new ReplicaRefused('another_database');
  return found.next;
}

/**
 * Whether the primary shows every commit that a snapshot of its standby shows. A standby shows a commit when it has
 * replayed it. The primary may do so later, for as long as it waits for another standby that is synchronous.
 *
 * The snapshot of a standby does not list what was in progress. So what is in progress on the primary must be so on the
 * standby, which is asked after the snapshot was taken.
 */
async function showsAllOf(primary: Database, standby: Kysely<unknown>, next: string): Promise<boolean> {
  const running = await runningBelow(primary, next);
  if (running === undefined || running.length === 0) return running !== undefined;
  const { rows } = await onReplica(() =>
    sql<{ areRunning: boolean }>`
      select bool_and(pg_xact_status(xid::xid8) = 'in progress') as "areRunning"
      from unnest(${running}::text[]) as xid`.execute(standby),
  );
  return rows[0]?.areRunning === true;
}

/**
 * Whether a read of a replica failed for a reason that the primary does not have: the server ended, or it cancelled the
 * statement because it conflicts with what it must replay. False for what a stored value, a time limit or the caller
 * caused.
 */
export function isReplicaFailure(error: unknown): boolean {
  if (isDatabaseUnavailable(error)) return true;
  return error instanceof pg.DatabaseError && !isCancelled(error) && !error.code?.startsWith('22');
}
