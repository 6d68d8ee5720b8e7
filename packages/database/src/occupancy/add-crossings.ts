import { compareCrossings, type PlacedCrossing } from '@visitor-counter/domain/crossing';
import { crossingStretch } from '@visitor-counter/domain/occupancy';
import { addActs, append, noParts, type Parts } from '@visitor-counter/domain/occupancy-parts';
import { foldStored } from './fold-stored.ts';
import type { LockedQuarters } from './lock-quarters.ts';
import { compareQuarters, keyOfQuarter, type Quarter, quarterOf, startOfQuarter } from './quarter.ts';
import type { RecentCrossings } from './recent-crossings.ts';
import type { RunStatement } from './run-statement.ts';
import type { QuarterState } from './write-quarters.ts';

/** A crossing with its place in the order of all, and its store. */
export interface StoreCrossing extends PlacedCrossing {
  readonly storeId: number;
}

/** The quarters that crossings lie in, in the order in which they are to be locked. */
export function quartersOf(crossings: readonly StoreCrossing[]): Quarter[] {
  const quarters = new Map<string, Quarter>();
  for (const { storeId, at } of crossings) {
    const quarter = { storeId, quarter: quarterOf(at) };
    quarters.set(keyOfQuarter(quarter), quarter);
  }
  return [...quarters.values()].sort(compareQuarters);
}

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
  recent: RecentCrossings,
): Promise<readonly QuarterState[]> {
  const groups = Map.groupBy(crossings, ({ storeId, at }) =>
    keyOfQuarter({ storeId, quarter: quarterOf(at) }),
  );
  const added = quartersOf(crossings).map((quarter) => {
    const key = keyOfQuarter(quarter);
    const { state: before = noParts, writtenBy = '' } = states.get(key) ?? {};
    const sorted = (groups.get(key) ?? []).toSorted(compareCrossings);
    const state = addActs(before, startOfQuarter(quarter.quarter), sorted.map(actOf));
    const behind = state.unfolded && recent.since(key, writtenBy, state.unfolded.from);
    recent.remember(key, { before: writtenBy, latest: before.latest, writer, added: sorted });
    return { ...quarter, state: behind ? foldFromMemory(state, [...behind, ...sorted]) : state };
  });
  const due = worthFolding(added);
  if (due.size === 0) return added;
  return [...added.filter((quarter) => !due.has(quarter)), ...(await fold(run, [...due]))];
}

/** `behind` are all the acts that are unfolded, in any order. */
function foldFromMemory({ parts, unfolded }: Parts, behind: readonly PlacedCrossing[]): Parts {
  const acts = behind.toSorted(compareCrossings).map(actOf);
  return append({ parts, latest: Number.NEGATIVE_INFINITY }, unfolded?.from ?? 0, acts);
}

function actOf({ at, direction }: PlacedCrossing) {
  return { at, stretch: crossingStretch(direction) };
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
