import type { SettledBoot, UnsettledBoot } from '../clock/settle-boots.ts';
import { type NewCrossing, recordSize } from './record-codec.ts';
import type { Segment } from './segment.ts';
import { headerSize } from './segment-header.ts';

/** What writer, reader and cleaner of a journal share. Only the writer adds, only the cleaner removes. */
export interface JournalState {
  /** The journal's id, which changes when a new one is begun. */
  journal: string;
  readonly directory: string;
  segments: readonly Segment[];
  /** Last durable sequence. */
  recorded: number;
  /** Instant (epoch ms) of the last durable crossing; 0 when there was none. */
  recordedAt: number;
  /** The latest instant (epoch ms) known to lie before what is journaled next; 0 when there is none. */
  settledAt: number;
  /** The present boot. */
  readonly boot: string;
  /** Boots whose crossings cannot be sent yet, in order. */
  unsettled: readonly UnsettledBoot[];
  /** When boots began whose crossings were journaled before that was known. */
  clocks: ReadonlyMap<string, SettledBoot>;
}

/** What segments take on the disk. */
export function bytesOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { count }) => sum + headerSize + count * recordSize, 0);
}

/** Keeps account of which crossings that are durable now have settled instants. */
export function noteInstants(state: JournalState, crossings: readonly NewCrossing[]): void {
  const { boot, clocks } = state;
  for (const { at, moment = 0, settled } of crossings) {
    if (settled !== false) state.settledAt = at;
    else if (!clocks.has(boot)) {
      const others = state.unsettled.filter((other) => other.boot !== boot);
      const there = state.unsettled.find((other) => other.boot === boot);
      const begun = there ?? { boot, claimed: at - moment, after: state.settledAt };
      state.unsettled = [...others, { ...begun, last: moment }];
    }
  }
}
