import { recordSize } from './record-codec.ts';
import type { Segment } from './segment.ts';
import { headerSize } from './segment-header.ts';

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

/** What segments take on the disk. */
export function bytesOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { count }) => sum + headerSize + count * recordSize, 0);
}
