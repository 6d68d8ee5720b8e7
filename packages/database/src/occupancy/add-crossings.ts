import { noParts } from '@visitor-counter/domain/occupancy-parts';
import { addToState } from './add-to-state.ts';
import { byQuarter, type StoreCrossing } from './by-quarter.ts';
import { foldStored } from './fold-stored.ts';
import type { LockedQuarters } from './lock-quarters.ts';
import { startOfQuarter } from './quarter.ts';
import type { RememberedQuarters } from './remembered-quarters.ts';
import type { RunStatement } from './run-statement.ts';
import type { QuarterState } from './write-quarters.ts';

/**
 * The state of locked quarters, brought up to date with crossings that this transaction has stored; to be written.
 *
 * Crossings behind all others of their quarter, as they come from units that are online, are folded from
 * memory, and so are those that come a little later than others that this process has stored. Where others came
 * before, what lies behind them is read again; where that is much, compared with what came, it is left to later: a
 * reader then reads what is unfolded, and crossings that come in great disorder cost little more than reading each
 * of them once.
 */
export async function addCrossings(
  run: RunStatement,
  { writer, states }: LockedQuarters,
  crossings: readonly StoreCrossing[],
  remembered: RememberedQuarters,
): Promise<readonly QuarterState[]> {
  const added = byQuarter(crossings).map((group) => {
    const before = states.get(group.key) ?? { state: noParts, writtenBy: '' };
    const state = addToState(before, group, remembered);
    remembered.remember(group.key, { before, added: group.crossings, state, writtenBy: writer });
    return { storeId: group.storeId, quarter: group.quarter, state };
  });
  const due = worthFolding(added);
  if (due.size === 0) return added;
  return [...added.filter((quarter) => !due.has(quarter)), ...(await fold(run, [...due]))];
}

/** How many crossings a transaction reads again in any case. */
const rereadAnyway = 512;

/** Above that: how many crossings may be read again for each one that was added. */
const rereadPerAdded = 1.25;

/** The smallest ones, within bounds, and those of which nearly all has been added since they are unfolded. */
function worthFolding(quarters: readonly QuarterState[]): ReadonlySet<QuarterState> {
  const due = new Set<QuarterState>();
  let room = rereadAnyway;
  const unfolded = quarters.flatMap((quarter) => {
    const rest = quarter.state.unfolded;
    return rest ? { quarter, ...rest } : [];
  });
  for (const { quarter, count, added } of unfolded.sort((a, b) => a.count - b.count)) {
    if (count > room && count > rereadPerAdded * added) continue;
    room -= count;
    due.add(quarter);
  }
  return due;
}

async function fold(run: RunStatement, quarters: readonly QuarterState[]): Promise<QuarterState[]> {
  const states = await foldStored(
    run,
    quarters.map(({ storeId, quarter, state }) => ({
      storeId,
      from: state.unfolded?.from ?? startOfQuarter(quarter),
      to: startOfQuarter(quarter + 1),
      before: { parts: state.parts, latest: Number.NEGATIVE_INFINITY },
    })),
  );
  return quarters.map((quarter, index) => ({ ...quarter, state: states[index] ?? quarter.state }));
}
