import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { lockKeys } from '../sql/advisory-locks.ts';
import { planByKeys } from '../sql/open-client.ts';
import { type SoleWorker, startSoleWorker, type WorkerOptions } from '../sql/sole-worker.ts';
import { type Round, runRound } from './run-round.ts';

interface ProjectorOptions extends WorkerOptions {
  /** Called after every round that applied something; must not throw. */
  readonly onRound?: (round: Round) => void;
}

/** The shortest pause between two rounds (ms). */
const shortestPause = 40;

/** The longest pause (ms): well within `idle_session_timeout`, which would end the connection. */
const longestPause = 2_000;

/** How often the projector seals quarters and records its progress, if that is due (ms). */
const upkeepInterval = 1_000;

/** Statements also find rows by their keys where statistics are old. A process that hangs must lose the lock. */
const settings = `${planByKeys}; set enable_sort = off; set idle_session_timeout = '5s'`;

/** Applies change records in commit order for as long as it is open; of several processes, one does it. */
export function startProjector(options: ProjectorOptions): SoleWorker {
  const { onRound = () => {} } = options;
  const work = (client: pg.Client, signal: AbortSignal) => project(client, signal, onRound);
  return startSoleWorker(options, { lock: lockKeys.projector, settings, standby: 500, work });
}

/** Runs rounds, some of them with upkeep. */
async function project(
  client: pg.Client,
  signal: AbortSignal,
  onRound: (round: Round) => void,
): Promise<void> {
  let upkeepAt = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    const begin = performance.now();
    const isUpkeepDue = begin - upkeepAt >= upkeepInterval;
    const round = await runRound(client, Date.now(), isUpkeepDue);
    if (round.records > 0) onRound(round);
    if (isUpkeepDue && !round.more) upkeepAt = begin;
    const pause = pauseAfter(round, performance.now() - begin);
    if (pause > 0) await delay(pause, undefined, { signal });
  }
}

/**
 * How long to wait after a round that took so long (ms). Reading quarters again may use half of the time at most, so that
 * ingest is not slowed down.
 */
export function pauseAfter({ read, more }: Pick<Round, 'read' | 'more'>, took: number): number {
  if (read === 0) return more ? 0 : shortestPause;
  return Math.min(Math.max(shortestPause, took), longestPause);
}
