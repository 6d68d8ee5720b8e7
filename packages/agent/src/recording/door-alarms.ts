import type { Logger } from '@visitor-counter/service/logger';
import type { BeamsStart } from '../beams/beams.ts';
import type { Detector } from '../detector/detector.ts';
import type { Journal } from '../journal/journal.ts';

/** Logs once for each reason why the lines cannot be read, and when they are read again. */
export function sourceAlarm(log: Logger): Pick<BeamsStart, 'onProblem' | 'onReading'> {
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
    const { storageProblem: problem, storageProblemText: reason, isHolding, held } = journal;
    const state = problem === undefined ? '' : `${problem} ${isHolding}`;
    if (state === reported) return;
    reported = state;
    if (problem === undefined) log.info('crossings are stored on the disk again');
    else if (isHolding) log.error({ problem, reason, held }, 'crossings cannot be stored: only in memory');
    else log.error({ problem, reason }, 'the disk is full: crossings are stored in the reserve');
    report();
  };
  check();
  return journal.changes.storage.add(check);
}

/** Returns the function that logs and reports each beam that is blocked, or clear again, since its last call. */
export function blockedBeamAlarm(detector: Detector, log: Logger, report: () => void): () => void {
  const reported = { a: 'clear', b: 'clear' };
  return () => {
    for (const beam of ['a', 'b'] as const) {
      const { state } = detector.beams[beam] ?? {};
      if (state === undefined || state === reported[beam]) continue;
      reported[beam] = state;
      if (state === 'blocked') log.warn({ beam }, 'beam blocked: nothing is counted');
      else log.info({ beam }, 'beam clear again');
      report();
    }
  };
}
