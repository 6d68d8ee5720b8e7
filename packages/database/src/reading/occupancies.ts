import { emptyStretch, type Stretch } from '@visitor-counter/domain/occupancy';
import { foldStored, type StoredRange } from '../occupancy/fold-stored.ts';
import { quarterOf, startOfQuarter } from '../occupancy/quarter.ts';
import { onKysely, type RunStatement } from '../occupancy/run-statement.ts';
import { DayFold, type StoreDay, type StoreOccupancy } from './day-fold.ts';
import { readLateChanges } from './late-changes.ts';
import type { QuarterStates } from './quarter-states.ts';
import { readQuarters } from './read-quarters.ts';
import type { SettledDays } from './settled-days.ts';
import type { Reader } from './snapshot.ts';

/**
 * The occupancy of stores, each of them once, at `now` (epoch ms), in the order of `days`; crossings ahead of it do
 * not count.
 *
 * Reads the state by quarter hours: all of the day, or those that are not in `settled`, which then learns more.
 * Crossings are read only of a quarter that holds the start of a day or crossings ahead of now, or of which
 * some are not folded yet. Give it a snapshot: it takes several statements.
 */
export async function occupancies(
  db: Reader,
  days: readonly StoreDay[],
  now: number,
  settled?: SettledDays,
): Promise<StoreOccupancy[]> {
  if (days.length === 0) return [];
  const run = onKysely(db);
  const folds = await beginnings(run, days, now, settled);
  const states = await readQuarters(run, folds, quarterOf(now));
  const ranges: StoredRange[] = [];
  eachQuarter(folds, states, now, ({ rest }) => rest && ranges.push(rest));
  const rests = (await foldStored(run, ranges)).values();
  eachQuarter(folds, states, now, ({ fold, quarter, stretch, latest, rest }) =>
    fold.add({ quarter, stretch, latest }, rest && rests.next().value),
  );
  if (settled) for (const fold of folds) fold.remember(settled);
  return folds.map(({ result }) => result);
}

/** Where the reading of each day begins: behind what is settled of it, where that still holds. */
async function beginnings(
  run: RunStatement,
  days: readonly StoreDay[],
  now: number,
  settled: SettledDays | undefined,
): Promise<DayFold[]> {
  if (settled === undefined) return days.map((day) => new DayFold(day, undefined, undefined));
  const first = quarterOf(days.reduce((earliest, { start }) => Math.min(earliest, start), now));
  const storeIds = days.map(({ storeId }) => storeId);
  const changes = await readLateChanges(run, storeIds, first);
  const over = { last: Math.min(changes.open, quarterOf(now) - 2) - 1, changes };
  return days.map((day) => {
    const known = settled.get(day.storeId);
    const holds =
      known?.start === day.start &&
      known.through <= over.last &&
      known.origin === changes.origin &&
      known.changes === changes.count(day.storeId, quarterOf(day.start), known.through);
    return new DayFold(day, holds ? known : undefined, over);
  });
}

/** What is known of a quarter of a day, and what has to be read of it in addition. */
interface Piece {
  readonly fold: DayFold;
  readonly quarter: number;
  readonly stretch: Stretch;
  readonly latest: number;
  readonly rest: StoredRange | undefined;
}

/** Shows all quarters, always in the same order, one after another: there are thousands, and nobody needs them at once. */
function eachQuarter(
  folds: readonly DayFold[],
  read: readonly QuarterStates[],
  now: number,
  show: (piece: Piece) => void,
): void {
  const foldOf = new Map<number, DayFold>();
  for (const fold of folds) foldOf.set(fold.storeId, fold);
  for (const states of read) {
    for (let index = 0; index < states.length; index += 1) {
      const fold = foldOf.get(states.storeId(index));
      if (fold) show(pieceOf(fold, states, index, now));
    }
  }
}

/** A quarter that holds the start of the day or crossings ahead of now is read anew. */
function pieceOf(fold: DayFold, states: QuarterStates, index: number, now: number): Piece {
  const { storeId, start } = fold;
  const quarter = states.quarter(index);
  const latest = states.latest(index);
  const from = startOfQuarter(quarter);
  const to = Math.min(startOfQuarter(quarter + 1), now + 1);
  if (from < start || latest > now) {
    const rest = { storeId, from: Math.max(from, start), to };
    return { fold, quarter, stretch: emptyStretch, latest: Number.NEGATIVE_INFINITY, rest };
  }
  const unfolded = states.unfolded(index);
  const rest = unfolded < to ? { storeId, from: unfolded, to } : undefined;
  return { fold, quarter, stretch: { sum: states.sum(index), floor: states.floor(index) }, latest, rest };
}
