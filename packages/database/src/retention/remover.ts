import { setTimeout as delay } from 'node:timers/promises';
import { pause } from '@visitor-counter/service/pause';
import type pg from 'pg';
import type { ClientBase } from 'pg';
import { lockKeys } from '../sql/advisory-locks.ts';
import { heartbeatInteger, heartbeatText } from '../sql/heartbeat-fields.ts';
import { planByKeys } from '../sql/open-client.ts';
import { inTransaction, runStatement } from '../sql/run-statement.ts';
import { startSoleWorker, type WorkerOptions } from '../sql/sole-worker.ts';
import { finishPass, firstToRemove, type OpenPass, openPasses, removeBatch } from './remove-batch.ts';

/** What the remover does, and whom it notifies; none of these may throw. */
export interface Removal {
  /** The present time (epoch ms). */
  readonly now?: () => number;
  readonly onBegun?: (pass: BegunPass) => void;
  /** Called after every batch, with the number of crossings that it removed. */
  readonly onRemoved?: (pass: OpenPass, removed: number) => void;
  readonly onFinished?: (pass: OpenPass, removed: number) => void;
}

/** How often settings are read (ms). */
const interval = 2_000;

/** Crossings in a batch: few, so that no batch delays a writer noticeably. */
const limit = 1_000;

/** After a batch the remover waits this many times as long as the batch took, so that ingest is not slowed down. */
const restPerWork = 9;
const shortestRest = 10;

/** How much time a slice covers at first, and at most (ms). */
const firstSpan = 60 * 60_000;
const longestSpan = 30 * 24 * 60 * 60_000;

/** A batch whose commit is lost in a crash is removed again, with the record of its sequences: nothing waits for the disk. */
const settings = `${planByKeys}; set synchronous_commit = off`;

/**
 * Removes the crossings of companies with a retention for as long as it is open, in small batches, oldest first, with
 * pauses. Of several processes, one does it. It continues where a process before it ended.
 */
export function startRemover(options: WorkerOptions & Removal): { close(): Promise<void> } {
  const work = async (client: pg.Client, signal: AbortSignal) => {
    while (!signal.aborted) {
      await removeDue(client, options, signal);
      await delay(interval, undefined, { signal });
    }
  };
  return startSoleWorker(options, { lock: lockKeys.remover, settings, standby: interval, work });
}

/** Begins the passes that are due, and works on all that are open, as far as the projection allows. */
export async function removeDue(client: pg.ClientBase, options: Removal, signal: AbortSignal): Promise<void> {
  const { now = Date.now, onBegun, onFinished } = options;
  for (const begun of await beginPasses(client, now())) onBegun?.(begun);
  for (const pass of await openPasses(client)) {
    const removed = await removeAll(client, pass, options, signal);
    if (signal.aborted) return;
    if (pass.until < pass.before) continue;
    await finishPass(client, pass);
    onFinished?.(pass, pass.removed + removed);
  }
}

async function removeAll(
  client: pg.ClientBase,
  pass: OpenPass,
  { onRemoved }: Removal,
  signal: AbortSignal,
): Promise<number> {
  const { companyId } = pass;
  let total = 0;
  let span = firstSpan;
  let from = await firstToRemove(client, pass);
  while (from !== undefined && from < pass.until && !signal.aborted) {
    const begin = performance.now();
    const until = Math.min(from + span, pass.until);
    const removed = await removeBatch(client, { companyId, from, until, limit });
    total += removed;
    onRemoved?.(pass, removed);
    if (removed === limit) {
      span = Math.max(1_000, span / 2);
    } else {
      from = removed === 0 ? await firstToRemove(client, { ...pass, from: until }) : until;
      if (removed < limit / 2) span = Math.min(2 * span, longestSpan);
    }
    const rest = Math.max(shortestRest, restPerWork * (performance.now() - begin));
    await pause(rest, signal);
  }
  return total;
}

/** A new beginning of the crossings of a company. */
interface BegunPass {
  readonly company: string;
  /** Crossings before this instant are removed (epoch ms). */
  readonly before: number;
}

/**
 * For each company with a retention, moves the beginning of its crossings to the day of UTC that many months
 * before `now` (epoch ms). A beginning never moves back. From the commit on, readers and writers treat
 * crossings before it as removed.
 *
 * The lock on the company waits for transactions that change crossings or corrections before the new
 * beginning (`requireCrossings`): a transaction that sees the pass also sees their change records. Only the
 * process that has the lock for removing crossings may call it.
 */
export async function beginPasses(client: ClientBase, clock: number): Promise<BegunPass[]> {
  const due = await runStatement<{ id: number }>(client, 'find-due-passes', findStatement, [clock]);
  const begun: BegunPass[] = [];
  if (due.length === 0) return begun;
  const now = Math.min(clock, await latestByUnits(client));
  for (const { id } of due) {
    const passes = await inTransaction(client, async () => {
      await client.query(durable);
      await runStatement(
        client,
        'lock-company',
        'select from company where id = $1::integer for no key update',
        [id],
      );
      return runStatement<BegunPass>(client, 'begin-pass', beginStatement, [now, id]);
    });
    begun.push(...passes);
  }
  return begun;
}

/** How far this clock may be ahead of the last heartbeat of all units (ms). */
const mostAhead = 60 * 60_000;

/**
 * The latest instant (epoch ms) that can be the present one, by the units whose clocks are synchronised: what a server
 * with a wrong clock removed could not be restored. Without such units Infinity. While all of them are silent,
 * nothing more is removed.
 */
async function latestByUnits(client: ClientBase): Promise<number> {
  const [row] = await runStatement<{ at: number | null }>(client, 'latest-heartbeat', latestStatement, []);
  return (row?.at ?? Number.POSITIVE_INFINITY) + mostAhead;
}

const latestStatement = `
  select max(${heartbeatInteger('heartbeat', 'at')})::float8 as at
  from device_state join device on device.id = device_id
  where retired_at is null and secret_revoked_at is null and ${heartbeatText('heartbeat', 'clock')} = 'synced'`;

/** What readers of the database have seen must be on disk, and sent to its standbys. */
const durable = 'set local synchronous_commit = on';

const day = `(
    date_trunc('day', to_timestamp($1::float8 / 1000) at time zone 'UTC')
    - make_interval(months => company.retention_months)
  ) at time zone 'UTC'`;

/** Crossings have instants from 1970 on. */
const due = `company.retention_months is not null and ${day} > coalesce(
    (select max(removed_before) from retention_pass where company_id = company.id), '1970-01-01Z')`;

const findStatement = `select id from company where ${due} order by id`;

/** A pass that has not finished is continued by the new one. */
const beginStatement = `
  with replaced as (
    update retention_pass set finished_at = now() where company_id = $2::integer and finished_at is null
  ), begun as (
    insert into retention_pass (company_id, removed_before, horizon, removes_below)
    select company.id, ${day}, present.horizon, coalesce((
      select horizon from retention_pass before where before.company_id = company.id
      order by removed_before desc limit 1
    ), present.horizon)
    from company, (
      select transactions_before + pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon
      from installation
    ) present
    where company.id = $2::integer and ${due}
    returning company_id, removed_before
  )
  select company.name as company, (extract(epoch from removed_before) * 1000)::float8 as before
  from begun join company on company.id = begun.company_id`;
