import type { Logger } from '@visitor-counter/service/logger';
import type { Beams } from '../beams/beams.ts';
import type { Journal } from '../journal/journal.ts';

/** How far recording and delivery have come. */
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

/** Progress is told at most this often (ms). */
const tellEvery = 1_000;

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

/** Tells the log, and the supervisor over IPC if there is one, of changed progress; returns what ends that. */
export function reportProgress(serial: string, current: () => Progress, log: Logger): () => void {
  let told = '';
  const tell = () => {
    const progress = current();
    const text = JSON.stringify(progress);
    if (text === told) return;
    told = text;
    log.info(progress, 'progress');
    if (process.connected) process.send?.({ progress, serial });
  };
  tell();
  const timer = setInterval(tell, tellEvery);
  return () => {
    clearInterval(timer);
    tell();
  };
}
