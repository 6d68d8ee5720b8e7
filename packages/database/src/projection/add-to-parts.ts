import { composeStretches } from '@visitor-counter/domain/occupancy';
import type { Change } from '../occupancy/change.ts';
import { sumOfCounts } from '../occupancy/device-counts.ts';
import { type OccupancyPart, readPartsOfQuarters, writeParts } from '../occupancy/parts.ts';
import { quarterOf } from '../occupancy/quarter.ts';
import type { RunStatement } from '../sql/run-statement.ts';

/** Adds crossings that arrived late to the parts of their final quarters, where these have parts. */
export async function addToParts(run: RunStatement, changesOfFinal: readonly Change[]): Promise<void> {
  if (changesOfFinal.length === 0) return;
  const parts = await readPartsOfQuarters(run, changesOfFinal);
  const changed = new Map<OccupancyPart, OccupancyPart>();
  for (const change of changesOfFinal) {
    if (change.stretch === undefined) continue;
    const { storeId, quarter, first, stretch, devices } = change;
    const ofQuarter = parts.filter((part) => part.storeId === storeId && quarterOf(part.from) === quarter);
    const found = ofQuarter.findLast(({ from }) => from <= first) ?? ofQuarter[0];
    if (found === undefined) continue;
    const part = changed.get(found) ?? found;
    changed.set(found, {
      ...part,
      stretch: composeStretches(part.stretch, stretch),
      devices: sumOfCounts(part.devices, devices),
    });
  }
  await writeParts(run, [...changed.values()]);
}
