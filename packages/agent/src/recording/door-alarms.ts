import type { Logger } from '@visitor-counter/service/logger';
import type { BeamsStart } from '../beams/beams.ts';
import type { CrossingDetector } from '../detector/crossing-detector.ts';
import type { Journal } from '../journal/journal.ts';

/** Logs why the lines cannot be read, once for each reason, and that they are read again. */
export function sourceAlarm(log: Logger): Pick<BeamsStart, 'onProblem' | 'onReading'> {
  let told: string | undefined;
  return {
    onProblem: (problem, retryIn) => {
      const level = problem.message === told ? 'debug' : 'error';
      told = problem.message;
      log[level]({ err: problem, retryIn }, 'beams cannot be read: nothing is counted');
    },
    onReading: () => {
      told = undefined;
      log.info('beams are read');
    },
  };
}

/** Logs and reports when the disk takes no crossings, or is full, and when it is well again; returns what ends that. */
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
  return journal.onStorage(check);
}

/** Logs and reports when a beam becomes blocked, and when it is clear again. */
export function blockedAlarm(detector: CrossingDetector, log: Logger, report: () => void): () => void {
  const told = { a: 'clear', b: 'clear' };
  return () => {
    for (const line of ['a', 'b'] as const) {
      const beam = detector.beams[line];
      if (!beam || beam.state === told[line]) continue;
      told[line] = beam.state;
      if (beam.state === 'blocked') log.warn({ beam: line }, 'beam blocked: nothing is counted');
      else log.info({ beam: line }, 'beam clear again');
      report();
    }
  };
}
