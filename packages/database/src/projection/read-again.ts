import { composeStretches, type Folded, nothingFolded } from '@visitor-counter/domain/occupancy';
import { nothingCounted, sumOfCounts } from '../occupancy/device-counts.ts';
import { type FoldedRange, foldStored } from '../occupancy/fold-stored.ts';
import { startOfQuarter } from '../occupancy/quarter.ts';
import type { RunStatement } from '../sql/run-statement.ts';
import type { Base, FoldedQuarter, QuarterToRead } from './apply-changes.ts';

/**
 * Reads the crossings of quarters again.
 *
 * Crossings of two busy doors reach the projector a little out of order all the time, and reading all of a quarter for
 * each of them would take ever longer. So what a quarter contains up to some instant is kept as its base, and only what
 * comes after the base is read. The base ends before the crossings that were added, by as much as these were late: the
 * next ones are probably not later. Crossings that are added before the base, and any other change, remove it.
 */
export async function readAgain(
  run: RunStatement,
  quarters: readonly QuarterToRead[],
): Promise<FoldedQuarter[]> {
  const parts = quarters.map(partsOf);
  const ranges = parts.flatMap(({ storeId, base, next, end }) => [
    { storeId, from: base.until, to: next },
    { storeId, from: next, to: end },
  ]);
  const folded = await foldStored(run, ranges);
  return parts.map(({ storeId, quarter, base, next }, index) => {
    const atNext = { ...added(base, folded[2 * index]), until: next };
    return { storeId, quarter, ...added(atNext, folded[2 * index + 1]), base: atNext };
  });
}

/** What is read of a quarter: from its base to where the next base ends, and from there to its end. */
function partsOf({ storeId, quarter, first, latest, base }: QuarterToRead) {
  const [start, end] = [startOfQuarter(quarter), startOfQuarter(quarter + 1)];
  const isUsable = base !== undefined && first >= base.until;
  const from = isUsable ? base : { until: start, folded: nothingFolded, devices: nothingCounted };
  const lateness = Math.max(0, latest - first);
  const next = first - lateness;
  return { storeId, quarter, end, base: from, next: next > from.until && next < end ? next : from.until };
}

function added({ folded, devices }: Omit<Base, 'until'>, more: FoldedRange | undefined): Omit<Base, 'until'> {
  if (more === undefined) return { folded, devices };
  const sum: Folded = {
    stretch: composeStretches(folded.stretch, more.stretch),
    latest: Math.max(folded.latest, more.latest),
  };
  return { folded: sum, devices: sumOfCounts(devices, more.devices) };
}
