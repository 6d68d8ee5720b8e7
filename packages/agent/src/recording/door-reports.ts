import type { Crossing } from '@visitor-counter/domain/crossing';
import { DayCounter, isDirectionDoubtful } from '@visitor-counter/domain/direction-doubt';
import type { Logger } from '@visitor-counter/service/logger';
import type { Beams, BeamsCalls, BeamsHealth } from '../beams/beams.ts';
import type { Detector } from '../detector/detector.ts';
import type { Flickering } from '../detector/flicker.ts';
import type { Journal } from '../journal/journal.ts';

/** Progress is reported at most this often (ms). */
const reportEvery = 1_000;

/**
 * Logs changed progress of a door and reports it to the supervisor over IPC, if there is one. Returns a function that
 * stops the reports.
 */
export function reportProgress(serial: string, journal: Journal, beams: Beams, log: Logger): () => void {
  let reported = '';
  const report = () => {
    const { recorded, recordedAt, acknowledged, acknowledgedAt } = journal;
    const progress = {
      /** Last sequence in the journal, and its crossing's instant (epoch ms). */
      recorded,
      ...(recordedAt > 0 && { recordedUntil: recordedAt }),
      /** Last sequence that the server has stored, and its crossing's instant (epoch ms). */
      acknowledged,
      ...(acknowledgedAt > 0 && { acknowledgedUntil: acknowledgedAt }),
      /** The beams have caught up with the present. */
      live: beams.live,
    };
    const text = JSON.stringify(progress);
    if (text === reported) return;
    reported = text;
    log.info(progress, 'progress');
    if (process.connected) process.send?.({ progress, serial });
  };
  report();
  const timer = setInterval(report, reportEvery);
  return () => {
    clearInterval(timer);
    report();
  };
}

/** Logs once for each reason why the lines cannot be read, and when they are read again. */
export function sourceAlarm(log: Logger): Required<BeamsCalls> {
  let reported: string | undefined;
  return {
    onProblem: (problem, retryIn) => {
      const level = problem.message === reported ? 'debug' : 'error';
      reported = problem.message;
      log[level]({ err: problem, retryIn }, 'beams cannot be read: nothing is counted');
    },
    onReading: () => {
      reported = undefined;
      log.info('beams are read');
    },
  };
}

/**
 * Logs and reports when the disk is full or cannot store crossings, and when it stores them again. Returns a function
 * that stops the alarm.
 */
export function storageAlarm(journal: Journal, log: Logger, report: () => void): () => void {
  let reported = '';
  const check = () => {
    const { held } = journal;
    const { problem, message: reason } = journal.storageProblem ?? {};
    const state = problem ?? '';
    if (state === reported) return;
    reported = state;
    if (problem === undefined) log.info('crossings are stored on the disk again');
    else log.error({ problem, reason, held }, 'crossings cannot be stored: only in memory');
    report();
  };
  check();
  journal.changes.on('storage', check);
  return () => journal.changes.off('storage', check);
}

/**
 * Returns the function that logs and reports each beam that is blocked, or clear again, since its last call. It also reports
 * whether the lines can be read and whether a beam flickers.
 */
export function beamsAlarm(
  beams: { readonly health?: Pick<BeamsHealth, 'problem'> | undefined },
  detector: Detector,
  log: Logger,
  report: () => void,
): () => void {
  const reported = { a: 'clear', b: 'clear' };
  let reportedProblem = beams.health?.problem;
  let flickering: Flickering | undefined;
  return () => {
    if (detector.flickering !== flickering) {
      flickering = detector.flickering;
      if (flickering) log.warn({ flickering }, 'beam flickers: counts are wrong');
      else log.info('beams no longer flicker');
      report();
    }
    const problem = beams.health?.problem;
    if (problem !== reportedProblem) report();
    reportedProblem = problem;
    for (const beam of ['a', 'b'] as const) {
      const { state, broken } = detector.beams[beam] ?? {};
      if (state === undefined || state === reported[beam]) continue;
      reported[beam] = state;
      /* Why a beam cannot be read is logged by `sourceAlarm`. */
      if (state === 'blocked' && broken) log.warn({ beam }, 'beam blocked: nothing is counted');
      if (state === 'clear') log.info({ beam }, 'beam clear again');
      report();
    }
  };
}

/** The crossings since the start, for display. */
export class Tally {
  /** Crossings that were dropped because neither the disk nor the memory had room. */
  givenUp = 0;
  /** The latest crossing; undefined before the first. */
  last: Crossing | undefined;
  readonly #counter = new DayCounter();

  get in(): number {
    return this.#counter.entries;
  }

  get out(): number {
    return this.#counter.exits;
  }

  /** Whether clearly more people left than entered since the start. */
  get isDirectionDoubtful(): boolean {
    return isDirectionDoubtful(0, this.#counter);
  }

  add(crossings: readonly Crossing[]): void {
    for (const { direction } of crossings) this.#counter.add(direction);
    this.last = crossings.at(-1) ?? this.last;
  }
}
