import type { Segment } from './segment.ts';

/** What writer, reader and cleaner of a journal share. Only the writer adds, only the cleaner removes. */
export interface JournalState {
  readonly journal: string;
  readonly directory: string;
  segments: readonly Segment[];
  /** Last durable sequence. */
  recorded: number;
  /** Instant (epoch ms) of the last durable crossing; 0 when there was none. */
  recordedAt: number;
}
