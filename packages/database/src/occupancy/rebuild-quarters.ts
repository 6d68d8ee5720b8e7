import { noParts } from '@visitor-counter/domain/occupancy-parts';
import { foldStored } from './fold-stored.ts';
import { lockQuarters } from './lock-quarters.ts';
import { compareQuarters, type Quarter, startOfQuarter } from './quarter.ts';
import type { RunStatement } from './run-statement.ts';
import { writeQuarters } from './write-quarters.ts';

/** How many quarters are in memory at once. */
const atOnce = 500;

/**
 * Makes the state of quarters anew from the crossings that are stored, whatever it was. For those who
 * change stored crossings, in the transaction in which they do.
 */
export async function rebuildQuarters(run: RunStatement, quarters: readonly Quarter[]): Promise<void> {
  const sorted = quarters.toSorted(compareQuarters);
  for (let start = 0; start < sorted.length; start += atOnce) {
    const some = sorted.slice(start, start + atOnce);
    await lockQuarters(run, some);
    const states = await foldStored(run, some.map(rangeOf));
    await writeQuarters(
      run,
      some.map((quarter, index) => ({ ...quarter, state: states[index] ?? noParts })),
    );
  }
}

function rangeOf({ storeId, quarter }: Quarter) {
  return { storeId, from: startOfQuarter(quarter), to: startOfQuarter(quarter + 1) };
}
