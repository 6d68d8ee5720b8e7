import { emptyStretch, type Stretch } from '@visitor-counter/domain/occupancy';
import type { Parts } from '@visitor-counter/domain/occupancy-parts';
import { foldStored, type StoredRange } from '../occupancy/fold-stored.ts';
import { quarterOf, startOfQuarter } from '../occupancy/quarter.ts';
import { onKysely, type RunStatement } from '../occupancy/run-statement.ts';
import { DayFold, type StoreDay, type StoreOccupancy } from './day-fold.ts';
import { readLateChanges } from './late-changes.ts';
import { type QuarterRow, readQuarters } from './read-quarters.ts';
import type { SettledDays } from './settled-days.ts';
import type { Reader } from './snapshot.ts';

/**
 * The occupancy of stores at `now` (epoch ms), in the order of `days`; crossings ahead of it do not count.
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
  const pieces = piecesOf(folds, await readQuarters(run, folds, quarterOf(now)), now);
  const ranges = pieces.map(({ rest }) => rest).filter((rest) => rest !== undefined);
  const rests = new Map<StoredRange, Parts>();
  for (const [index, state] of (await foldStored(run, ranges)).entries()) {
    const range = ranges[index];
    if (range) rests.set(range, state);
  }
  for (const piece of pieces) piece.fold.add(piece, piece.rest && rests.get(piece.rest));
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
  const first = quarterOf(Math.min(...days.map(({ start }) => start)));
  const storeIds = days.map(({ storeId }) => storeId);
  const changes = await readLateChanges(run, storeIds, first);
  const lastOver = Math.min(changes.open, quarterOf(now) - 2) - 1;
  return days.map((day) => {
    const over = { last: lastOver, changes };
    const known = settled.get(day.storeId);
    const holds =
      known?.start === day.start &&
      known.through <= lastOver &&
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
  readonly rest?: StoredRange;
}

/** A loop, not a chain of arrays: there are thousands. */
function piecesOf(folds: readonly DayFold[], rows: readonly QuarterRow[], now: number): Piece[] {
  const foldsOf = Map.groupBy(folds, ({ storeId }) => storeId);
  const pieces: Piece[] = [];
  for (const row of rows) {
    for (const fold of foldsOf.get(row.storeId) ?? []) {
      const piece = pieceOf(fold, row, now);
      if (piece) pieces.push(piece);
    }
  }
  return pieces;
}

/** Undefined for a quarter that is none of the day's, or known. */
function pieceOf(fold: DayFold, row: QuarterRow, now: number): Piece | undefined {
  const { storeId, start } = fold;
  const { quarter, sum, floor, latest, unfolded } = row;
  if (quarter < fold.first) return undefined;
  const from = startOfQuarter(quarter);
  const to = Math.min(startOfQuarter(quarter + 1), now + 1);
  if (from < start || latest > now) {
    const rest = { storeId, from: Math.max(from, start), to };
    return { fold, quarter, stretch: emptyStretch, latest: Number.NEGATIVE_INFINITY, rest };
  }
  const known = { fold, quarter, stretch: { sum, floor }, latest };
  return unfolded === null ? known : { ...known, rest: { storeId, from: unfolded, to } };
}
