import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import type { SettledBoot, UnsettledBoot } from '../clock/settle-boots.ts';
import { instantOf } from '../clock/time.ts';
import { writeClocks } from './clocks-file.ts';
import type { FileSystem } from './file-system.ts';
import type { JournalState } from './journal-state.ts';
import { type JournalRecord, type NewCrossing, noMoment } from './record-codec.ts';
import type { JudgedSegment } from './scan-segment.ts';

/**
 * The boots of a journal's segments whose times are not known, in order, and the latest instant (epoch ms) that is
 * known of any crossing. `after` is an instant before the first of them.
 */
export function openBoots(
  segments: readonly Pick<JudgedSegment, 'unsettled' | 'settledAt'>[],
  clocks: ReadonlyMap<string, SettledBoot>,
  after: number,
): { readonly unsettled: readonly UnsettledBoot[]; readonly settledAt: number } {
  const open = new Map<string, UnsettledBoot>();
  let settledAt = after;
  for (const { unsettled: found, settledAt: latest } of segments) {
    const known = found && clocks.get(found.boot);
    if (found && known) settledAt = Math.max(settledAt, known.offset + found.last - known.uncertainty);
    else if (found) {
      const before = open.get(found.boot) ?? { ...found, after: Math.max(settledAt, found.after) };
      open.set(found.boot, { ...before, last: found.last });
    }
    settledAt = Math.max(settledAt, latest);
  }
  return { unsettled: [...open.values()], settledAt };
}

/** Updates the boots with unknown times, and the latest known instant, with crossings that are durable now. */
export function noteInstants(state: JournalState, crossings: readonly NewCrossing[]): void {
  const { boot, clocks } = state;
  for (const { at, moment = noMoment, settled } of crossings) {
    if (settled !== false) state.settledAt = at;
    else if (!clocks.has(boot)) {
      const others = state.unsettled.filter((other) => other.boot !== boot);
      const there = state.unsettled.find((other) => other.boot === boot);
      const begun = there ?? { boot, claimed: at - moment, after: state.settledAt };
      state.unsettled = [...others, { ...begun, last: moment }];
    }
  }
}

/**
 * Stores when boots began, durably before any crossing with an instant that follows from it can be read. A stored time
 * never changes: the server refuses a crossing that is sent again with another instant.
 */
export async function storeBootTimes(
  files: FileSystem,
  state: JournalState,
  boots: readonly SettledBoot[],
): Promise<void> {
  const fresh = boots.filter(({ boot }) => !state.clocks.has(boot));
  if (fresh.length === 0) return;
  const needed = new Set(state.segments.map(({ boot }) => boot));
  const clocks = [...state.clocks.values(), ...fresh].filter(({ boot }) => needed.has(boot));
  await writeClocks(files, state.directory, clocks);
  state.clocks = new Map(clocks.map((known) => [known.boot, known]));
  for (const { boot, last } of state.unsettled) {
    const known = state.clocks.get(boot);
    if (known) state.settledAt = Math.max(state.settledAt, known.offset + last - known.uncertainty);
  }
  state.unsettled = state.unsettled.filter(({ boot }) => !state.clocks.has(boot));
}

/** The crossing with its instant; undefined while that is not known. */
export function settledCrossing(
  { sequence, direction, moment, ...record }: JournalRecord,
  boot: string,
  { clocks }: JournalState,
): NumberedCrossing | undefined {
  if (record.settled) return { sequence, at: record.at, direction, uncertainty: record.uncertainty };
  const known = clocks.get(boot);
  if (!known) return undefined;
  const at = instantOf(moment, known.offset);
  return { sequence, at, direction, uncertainty: known.uncertainty };
}
