import { emptyStretch, type Stretch } from '@visitor-counter/domain/occupancy';
import type { Parts } from '@visitor-counter/domain/occupancy-parts';
import { numberArray } from '../ingest/sql-arrays.ts';
import { foldStored, type StoredRange } from '../occupancy/fold-stored.ts';
import { quarterOf, startOfQuarter } from '../occupancy/quarter.ts';
import { onKysely, type RunStatement } from '../occupancy/run-statement.ts';
import { DayFold, type StoreDay, type StoreOccupancy } from './day-fold.ts';
import { readLateChanges } from './late-changes.ts';
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
  const pieces = (await readQuarters(run, folds, now)).map((row) =>
    pieceOf(row, days[row.index]?.start ?? now, now),
  );
  const ranges = pieces.flatMap(({ rest }) => rest ?? []);
  const rests = new Map<StoredRange, Parts>();
  for (const [index, state] of (await foldStored(run, ranges)).entries()) {
    const range = ranges[index];
    if (range) rests.set(range, state);
  }
  for (const piece of pieces) folds[piece.index]?.add(piece, piece.rest && rests.get(piece.rest));
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
  readonly index: number;
  readonly quarter: number;
  readonly stretch: Stretch;
  readonly latest: number;
  readonly rest?: StoredRange;
}

function pieceOf(row: QuarterRow, start: number, now: number): Piece {
  const { index, store_id: storeId, quarter, latest, unfolded } = row;
  const from = startOfQuarter(quarter);
  const to = Math.min(startOfQuarter(quarter + 1), now + 1);
  if (from < start || latest > now) {
    const rest = { storeId, from: Math.max(from, start), to };
    return { index, quarter, stretch: emptyStretch, latest: Number.NEGATIVE_INFINITY, rest };
  }
  const stretch = { sum: row.sum ?? Number.NEGATIVE_INFINITY, floor: row.floor };
  const known = { index, quarter, stretch, latest };
  return unfolded === null ? known : { ...known, rest: { storeId, from: unfolded, to } };
}

interface QuarterRow {
  readonly index: number;
  readonly store_id: number;
  readonly quarter: number;
  readonly sum: number | null;
  readonly floor: number;
  readonly latest: number;
  readonly unfolded: number | null;
}

function readQuarters(run: RunStatement, days: readonly DayFold[], now: number): Promise<QuarterRow[]> {
  return run<QuarterRow & Record<string, unknown>>('read-quarters', statement, [
    numberArray(days.map((_, index) => index)),
    numberArray(days.map(({ storeId }) => storeId)),
    numberArray(days.map(({ first }) => first)),
    quarterOf(now),
  ]);
}

/* date_part counts in floating point, exact to the millisecond; extract in decimals, at ten times the cost. */
const statement = `
  select day.index, q.store_id, q.quarter, q.sum, q.floor, round(date_part('epoch', q.latest_at) * 1000) as latest,
    round(date_part('epoch', q.unfolded_from) * 1000) as unfolded
  from unnest($1::integer[], $2::integer[], $3::integer[]) as day (index, store_id, first)
  cross join lateral (
    select * from occupancy_quarter
    where store_id = day.store_id and quarter between day.first and $4::integer and latest_at is not null
    order by quarter
  ) q
  order by day.index, q.quarter`;
