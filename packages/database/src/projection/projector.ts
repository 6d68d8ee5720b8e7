import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { lockKeys } from '../sql/advisory-locks.ts';
import { planByKeys } from '../sql/open-client.ts';
import type { DB } from '../sql/schema.ts';
import { type SoleWorker, startSoleWorker, type WorkerOptions } from '../sql/sole-worker.ts';
import { isCancelled } from '../sql/unavailable.ts';
import { moveSome } from './move-crossings.ts';
import { type Round, runRound } from './run-round.ts';

interface ProjectorOptions extends WorkerOptions {
  /** Called after every round that applied something; must not throw. */
  readonly onRound?: (round: Round) => void;
}

/** The shortest pause between two rounds (ms). */
const shortestPause = 40;

/** The longest pause (ms): well within `idle_session_timeout`, which would end the connection. */
const longestPause = 2_000;

/** The projector works for at most a third of its time, so that ingest is not slowed down: its lag grows instead. */
const pausePerWork = 2;

/** How often the projector moves crossings of devices that have moved (ms). */
const moveInterval = 500;

/** The most whole quarters of a round: fewer after one that took too long. */
const mostWhole = 200;

/** Statements also find rows by their keys where statistics are old. A process that hangs must lose the lock. */
const settings = `${planByKeys}; set idle_session_timeout = '5s'`;

/** Keeps the projection up to date for as long as it is open; of several processes, one does it. */
export function startProjector(options: ProjectorOptions): SoleWorker {
  const work = (db: Kysely<DB>, signal: AbortSignal) => project(db, signal, options);
  return startSoleWorker(options, { lock: lockKeys.projector, settings, standby: 500, work });
}

async function project(
  db: Kysely<DB>,
  signal: AbortSignal,
  { onRound = () => {}, onProblem }: ProjectorOptions,
): Promise<void> {
  let limit = mostWhole;
  let movesAt = 0;
  while (!signal.aborted) {
    const begin = performance.now();
    try {
      const round = await runRound(db, limit);
      if (round.marks > 0) onRound(round);
      limit = Math.min(2 * limit, mostWhole);
    } catch (error) {
      /* A statement has exceeded its time. */
      if (!isCancelled(error)) throw error;
      limit = Math.ceil(limit / 2);
      onProblem(error);
    }
    if (begin >= movesAt) {
      await moveSome(db, onProblem);
      movesAt = begin + moveInterval;
    }
    const took = performance.now() - begin;
    const pause = Math.min(Math.max(shortestPause, pausePerWork * took), longestPause);
    await delay(pause, undefined, { signal });
  }
}
