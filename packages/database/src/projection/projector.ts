import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { lockKeys } from '../sql/advisory-locks.ts';
import { planByKeys } from '../sql/open-client.ts';
import { type SoleWorker, startSoleWorker, type WorkerOptions } from '../sql/sole-worker.ts';
import { type EarlierWriters, moveCrossings } from './move-crossings.ts';
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

/** How often the projector looks for devices that have moved (ms). */
const moveInterval = 500;

/** Statements also find rows by their keys where statistics are old. A process that hangs must lose the lock. */
const settings = `${planByKeys}; set idle_session_timeout = '5s'`;

/** Keeps the projection up to date for as long as it is open; of several processes, one does it. */
export function startProjector(options: ProjectorOptions): SoleWorker {
  const { onRound = () => {} } = options;
  const work = (client: pg.Client, signal: AbortSignal) => project(client, signal, onRound);
  return startSoleWorker(options, { lock: lockKeys.projector, settings, standby: 500, work });
}

async function project(
  client: pg.Client,
  signal: AbortSignal,
  onRound: (round: Round) => void,
): Promise<void> {
  const earlier: EarlierWriters = new Map();
  let movedAt = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    const begin = performance.now();
    if (begin - movedAt >= moveInterval) {
      await moveCrossings(client, earlier);
      movedAt = begin;
    }
    const round = await runRound(client);
    if (round.marks > 0) onRound(round);
    const took = performance.now() - begin;
    const pause = Math.min(Math.max(shortestPause, pausePerWork * took), longestPause);
    await delay(pause, undefined, { signal });
  }
}
