import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { lockKeys } from '../sql/advisory-locks.ts';
import { planByKeys } from '../sql/open-client.ts';
import { startSoleWorker, type WorkerOptions } from '../sql/sole-worker.ts';
import { type BegunPass, beginPasses } from './begin-passes.ts';
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

/** After a batch the remover waits this many times as long as the batch took, so that ingest keeps the database. */
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
    await delay(rest, undefined, { signal }).catch(() => {});
  }
  return total;
}
