import type { Logger } from '@visitor-counter/service/logger';
import type { BeamsStart } from './beams/beams.ts';
import type { CrossingDetector } from './detector/crossing-detector.ts';
import type { Journal } from './journal/journal.ts';

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

/** Logs when crossings can only be held in memory, and when they are stored again; returns what ends that. */
export function roomAlarm(journal: Journal, log: Logger): () => void {
  return journal.onRoom(() => {
    const { noRoom: reason, waiting } = journal;
    if (reason !== undefined) log.error({ reason, waiting }, 'no room for the journal: held in memory only');
    else log.info('room for the journal again');
  });
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
