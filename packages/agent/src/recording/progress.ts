import type { Crossing } from '@visitor-counter/domain/crossing';
import { isDirectionDoubtful, RunningSum } from '@visitor-counter/domain/direction-doubt';
import type { Logger } from '@visitor-counter/service/logger';
import type { Beams } from '../beams/beams.ts';
import type { Journal } from '../journal/journal.ts';

/** The last recorded and the last acknowledged crossing. */
export interface Progress {
  /** Last sequence in the journal, and its crossing's instant (epoch ms). */
  readonly recorded: number;
  readonly recordedUntil?: number;
  /** Last sequence that the server has stored, and its crossing's instant (epoch ms). */
  readonly acknowledged: number;
  readonly acknowledgedUntil?: number;
  /** The beams have caught up with the present. */
  readonly live: boolean;
}

/** Progress is reported at most this often (ms). */
const reportEvery = 1_000;

export function progressOf(journal: Journal, beams: Beams): Progress {
  const { recorded, recordedAt, acknowledged, acknowledgedAt } = journal;
  return {
    recorded,
    ...(recordedAt > 0 && { recordedUntil: recordedAt }),
    acknowledged,
    ...(acknowledgedAt > 0 && { acknowledgedUntil: acknowledgedAt }),
    live: beams.live,
  };
}

/**
 * Logs changed progress and reports it to the supervisor over IPC, if there is one. Returns a function that stops the
 * reports.
 */
export function reportProgress(serial: string, current: () => Progress, log: Logger): () => void {
  let reported = '';
  const report = () => {
    const progress = current();
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

/** The crossings since the start, for display. */
export class Tally {
  in = 0;
  out = 0;
  /** Crossings that were dropped because neither the disk nor the memory had room. */
  givenUp = 0;
  /** The latest crossing; undefined before the first. */
  last: Crossing | undefined;
  readonly #sum = new RunningSum();

  /** Whether clearly more people left than entered since the start. */
  get isDirectionDoubtful(): boolean {
    return isDirectionDoubtful(0, this.#sum);
  }

  add(crossings: readonly Crossing[]): void {
    for (const { direction } of crossings) {
      this.#sum.add(direction);
      if (direction === 1) this.in += 1;
      else this.out += 1;
    }
    this.last = crossings.at(-1) ?? this.last;
  }
}
