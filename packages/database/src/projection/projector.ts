import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { computeResults } from '../accuracy/compute-results.ts';
import { removeOld } from '../retention/retention.ts';
import { lockKeys, type SoleWorker, startSoleWorker, type WorkerOptions } from '../sql/advisory-locks.ts';
import { planByKeys } from '../sql/open-client.ts';
import { type Db, runStatement } from '../sql/query-builder.ts';
import { isCancelled, isDatabaseUnavailable } from '../sql/unavailable.ts';
import { type Round, runRound } from './run-round.ts';

/**
 * Moves one batch of stored crossings of a device that was assigned to another store. A crossing's store is found by the
 * statement that stores it, so a move waits until all transactions have ended that were storing crossings when it was first
 * read: every later one reads the new assignment. A move that fails is reported, and tried again with the next call. Returns
 * how many moves are pending. Throws only if the database is unavailable. Only the process that has the projector's lock may
 * call it.
 *
 * `batch` is how many crossings one statement moves: few enough for its deadline.
 */
export async function moveSome(db: Db, onProblem: (error: unknown) => void, batch = 5_000): Promise<number> {
  const seenAt = sql<number>`clock_timestamp()`;
  await db.updateTable('deviceMove').set({ seenAt }).where('seenAt', 'is', null).execute();
  const moves = await runStatement<{ id: number; isReady: boolean }>(db, readStatement);
  for (const { id, isReady } of moves) {
    if (!isReady) continue;
    try {
      const [row] = await runStatement<{ moved: number }>(db, moveStatement, [id, batch]);
      return row?.moved === batch ? moves.length : moves.length - 1;
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      onProblem(error);
    }
  }
  return moves.length;
}

/**
 * A transaction that writes crossings has this lock before it looks at the assignments. Its beginning is unknown if its role
 * is another one than that of this process.
 */
const readStatement = `
  select id, coalesce(seen_at < (
    select min(coalesce(xact_start, '-infinity'))
    from pg_locks left join pg_stat_activity activity using (pid)
    where locktype = 'relation' and relation = 'crossing'::regclass and mode = 'RowExclusiveLock'
      and database = (select oid from pg_database where datname = current_database())
  ), true) as is_ready
  from device_move order by id`;

/**
 * Gives the first crossings in the former store their stores, and marks the quarter hours of both. They get this
 * transaction's number, so that readers in commit order read them again with their new store. Voided ones stay as they
 * are, also if they are voided meanwhile. The next batch begins at the last instant of a full one.
 */
const moveStatement = `
  with move as materialized (
    select * from device_move where id = $1
  ), found as materialized (
    select stored.*, move.store_id from move cross join lateral (
      select journal_id, sequence, at, assigned.store_id as assigned_id
      from crossing cross join store_at(move.device_id, crossing.at) assigned
      where crossing.store_id = move.store_id and crossing.device_id = move.device_id
        and at >= since and at < until and assigned.store_id <> move.store_id
      order by at, crossing.device_id, journal_id, sequence limit $2
    ) stored
  ), moved as (
    update crossing set store_id = assigned_id, transaction = (select current_transaction())
    from found
    where crossing.journal_id = found.journal_id and crossing.sequence = found.sequence
      and crossing.store_id = found.store_id
  ), marked as (
    insert into mark (store_id, quarter)
    select distinct side.store_id, quarter_of(at)
    from found cross join lateral (values (found.store_id), (assigned_id)) as side (store_id)
  ), counted as (
    select count(*) as moved, max(at) as last from found
  ), continued as (
    update device_move set since = last from counted where id = $1 and moved = $2
  ), finished as (
    delete from device_move using counted where id = $1 and moved < $2
  )
  select moved from counted`;

interface ProjectorOptions extends WorkerOptions {
  /** Called after every round that applied something; must not throw. */
  readonly onRound?: (round: Round) => void;
  /** Called after every batch that has deleted old crossings, with their number; must not throw. */
  readonly onRemoved?: (removed: number) => void;
  /** `message`: what failed, if it was not the projection. */
  readonly onProblem: (error: unknown, message?: string) => void;
}

/** The shortest pause between two rounds (ms). */
const shortestPause = 40;

/** The longest pause (ms): well within `idle_session_timeout`, which would end the connection. */
const longestPause = 2_000;

/** The projector works for at most a third of its time, so that ingest is not slowed down: its lag grows instead. */
const pausePerWork = 2;

/** How often the projector moves crossings of devices that have moved (ms). */
const moveInterval = 500;

/** How often it computes the results of audits (ms). */
const auditInterval = 2_000;

/** How long after deleting the last one it looks for old crossings again (ms). */
const removalInterval = 10_000;

/** The most whole quarters of a round: fewer after one that took too long. */
const mostWhole = 200;

/** Statements also find rows by their keys where statistics are old. A process that hangs must lose the lock. */
const settings = `${planByKeys}; set idle_session_timeout = '5s'`;

/**
 * Keeps the projection up to date for as long as it is open, computes the results of audits, and deletes the crossings that
 * companies no longer keep; of several processes, one does it.
 */
export function startProjector(options: ProjectorOptions): SoleWorker {
  const work = (db: Db, signal: AbortSignal) => project(db, signal, options);
  return startSoleWorker(options, { lock: lockKeys.projector, settings, standby: 500, work });
}

async function project(db: Db, signal: AbortSignal, options: ProjectorOptions): Promise<void> {
  const { onRound = () => {}, onProblem } = options;
  const move = periodically(moveInterval, async () => {
    await moveSome(db, onProblem);
    return false;
  });
  const { audit, remove } = otherWork(db, options);
  let limit = mostWhole;
  while (!signal.aborted) {
    const begin = performance.now();
    let isCurrent = false;
    try {
      const round = await runRound(db, limit);
      if (round.marks > 0) onRound(round);
      isCurrent = !round.more;
      limit = Math.min(2 * limit, mostWhole);
    } catch (error) {
      /* A statement has exceeded its time. */
      if (!isCancelled(error)) throw error;
      limit = Math.ceil(limit / 2);
      onProblem(error);
    }
    await move();
    await audit();
    /* No crossing is deleted before it is counted, also if there were no rounds for days. */
    if (isCurrent) await remove();
    const took = performance.now() - begin;
    const pause = Math.min(Math.max(shortestPause, pausePerWork * took), longestPause);
    await delay(pause, undefined, { signal });
  }
}

/**
 * What the process does in addition, between two rounds. It never throws: a failure is reported, and if the connection is lost,
 * the next round fails.
 */
function otherWork(db: Db, { onRemoved = () => {}, onProblem }: ProjectorOptions) {
  const audit = periodically(auditInterval, async () => {
    const failed = (error: unknown) => onProblem(error, 'results of audits cannot be computed');
    await withShortWaits(db, () => computeResults(db, Date.now())).catch(failed);
    return false;
  });
  const remove = periodically(removalInterval, async () => {
    const removed = await withShortWaits(db, () => removeOld(db)).catch((error: unknown) => {
      onProblem(error, 'old crossings cannot be deleted');
      return 0;
    });
    if (removed > 0) onRemoved(removed);
    return removed > 0;
  });
  return { audit, remove };
}

/** While `work` waits for a lock, there are no rounds: a statement fails that waits for longer than a second. */
async function withShortWaits<Result>(db: Db, work: () => Promise<Result>): Promise<Result> {
  await runStatement(db, 'set lock_timeout = 1000');
  try {
    return await work();
  } finally {
    await runStatement(db, 'set lock_timeout = 0');
  }
}

/** Calls `work` if `interval` (ms) has passed since its last call, or if that has returned that there is more to do. */
function periodically(interval: number, work: () => Promise<boolean>): () => Promise<void> {
  let dueAt = 0;
  return async () => {
    const now = performance.now();
    if (now >= dueAt && !(await work())) dueAt = now + interval;
  };
}
