import type { SettledBoot, UnsettledBoot } from '../clock/settle-boots.ts';
import type { JudgedSegment } from './scan-segment.ts';

/**
 * The boots of a journal's segments that are not settled, in order, and the latest instant (epoch ms) that is
 * known of all crossings. `after` is an instant before the first of them.
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
