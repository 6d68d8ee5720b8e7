import {
  composeStretches,
  emptyStretch,
  occupancyAtEnd,
  type Stretch,
} from '@visitor-counter/domain/occupancy';
import { type Parts, stretchOf } from '@visitor-counter/domain/occupancy-parts';
import { numberArray } from '../ingest/sql-arrays.ts';
import { foldStored, type StoredRange } from '../occupancy/fold-stored.ts';
import { quarterOf, startOfQuarter } from '../occupancy/quarter.ts';
import { onKysely, type RunStatement } from '../occupancy/run-statement.ts';
import type { Reader } from './snapshot.ts';

/** A store and when its business day began (epoch ms). */
export interface StoreDay {
  readonly storeId: number;
  readonly start: number;
}

export interface StoreOccupancy {
  readonly occupancy: number;
  /** The instant (epoch ms) of the latest crossing since the start; undefined when there is none. */
  readonly latest: number | undefined;
}

/**
 * The occupancy of stores at `now` (epoch ms), in the order of `days`; crossings ahead of it do not count.
 *
 * Reads the state by quarter hours. Crossings are read only of a quarter that holds the start of a day or
 * crossings ahead of now, or of which some are not folded yet.
 */
export async function occupancies(
  db: Reader,
  days: readonly StoreDay[],
  now: number,
): Promise<StoreOccupancy[]> {
  const run = onKysely(db);
  const pieces = (await readQuarters(run, days, now)).map((row) =>
    pieceOf(row, days[row.index]?.start ?? now, now),
  );
  const ranges = pieces.flatMap(({ rest }) => rest ?? []);
  const rests = new Map<StoredRange, Parts>();
  for (const [index, state] of (await foldStored(run, ranges)).entries()) {
    const range = ranges[index];
    if (range) rests.set(range, state);
  }
  const result = days.map(() => ({ stretch: emptyStretch, latest: Number.NEGATIVE_INFINITY }));
  for (const { index, stretch, latest, rest } of pieces) {
    const day = result[index];
    if (day === undefined) continue;
    const read = rest && rests.get(rest);
    day.stretch = [stretch, ...(read ? [stretchOf(read)] : [])].reduce(composeStretches, day.stretch);
    day.latest = Math.max(day.latest, latest, read?.latest ?? Number.NEGATIVE_INFINITY);
  }
  return result.map(({ stretch, latest }) => ({
    occupancy: occupancyAtEnd(0, stretch),
    latest: Number.isFinite(latest) ? latest : undefined,
  }));
}

/** What is known of a quarter of a day, and what has to be read of it in addition. */
interface Piece {
  readonly index: number;
  readonly stretch: Stretch;
  readonly latest: number;
  readonly rest?: StoredRange;
}

function pieceOf(row: QuarterRow, start: number, now: number): Piece {
  const { index, store_id: storeId, latest, unfolded } = row;
  const from = startOfQuarter(row.quarter);
  const to = Math.min(startOfQuarter(row.quarter + 1), now + 1);
  if (from < start || latest > now) {
    const rest = { storeId, from: Math.max(from, start), to };
    return { index, stretch: emptyStretch, latest: Number.NEGATIVE_INFINITY, rest };
  }
  const known = { index, stretch: { sum: row.sum ?? Number.NEGATIVE_INFINITY, floor: row.floor }, latest };
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

function readQuarters(run: RunStatement, days: readonly StoreDay[], now: number): Promise<QuarterRow[]> {
  return run<QuarterRow & Record<string, unknown>>('read-quarters', statement, [
    numberArray(days.map((_, index) => index)),
    numberArray(days.map(({ storeId }) => storeId)),
    numberArray(days.map(({ start }) => quarterOf(start))),
    quarterOf(now),
  ]);
}

const statement = `
  select day.index, q.store_id, q.quarter, q.sum, q.floor, (extract(epoch from q.latest_at) * 1000)::float8 as latest,
    (extract(epoch from q.unfolded_from) * 1000)::float8 as unfolded
  from unnest($1::integer[], $2::integer[], $3::integer[]) as day (index, store_id, first)
  cross join lateral (
    select * from occupancy_quarter
    where store_id = day.store_id and quarter between day.first and $4::integer and latest_at is not null
    order by quarter
  ) q
  order by day.index, q.quarter`;
