import type { SettledBoot, UnsettledBoot } from '../clock/settle-boots.ts';
import type { Segment } from './segment.ts';

/**
 * The state that the writer, the reader and the cleaner of a journal share. Only the writer adds, only the
 * cleaner removes.
 */
export interface JournalState {
  /** The journal's id, which changes when a new one is begun. */
  journal: string;
  readonly directory: string;
  segments: readonly Segment[];
  /** Last durable sequence. */
  recorded: number;
  /** Instant (epoch ms) of the last durable crossing; 0 when there was none. */
  recordedAt: number;
  /** The latest instant (epoch ms) that is known to be before the next journaled crossing; 0 if there is none. */
  settledAt: number;
  /** The present boot. */
  readonly boot: string;
  /** Boots whose crossings cannot be sent yet, in order. */
  unsettled: readonly UnsettledBoot[];
  /** When boots began, for boots whose crossings were journaled before that was known. */
  clocks: ReadonlyMap<string, SettledBoot>;
}
