import type { Kysely } from 'kysely';
import { numberColumns } from '../sql/arrays.ts';
import { runStatement } from '../sql/run-statement.ts';
import type { DB } from '../sql/schema.ts';

/** Business days of a store, both included (YYYY-MM-DD). */
interface DayRange {
  readonly storeId: number;
  readonly firstDate: string;
  readonly lastDate: string;
}

/** What a business day of a store contains. */
export interface ProjectedDay {
  readonly occupancy: number;
  readonly peak: number;
  /** The instant of its latest crossing or correction (epoch ms). */
  readonly latest: number;
}

/** The days in each range that have crossings or corrections, by their dates. */
export async function projectedDays(
  db: Kysely<DB>,
  ranges: readonly DayRange[],
): Promise<ReadonlyMap<string, ProjectedDay>[]> {
  const rows = await runStatement<{ days: DayRow[] | null }>(db, statement, [
    ...numberColumns(ranges, 'storeId'),
    ranges.map(({ firstDate }) => firstDate),
    ranges.map(({ lastDate }) => lastDate),
  ]);
  return rows.map(
    ({ days }) =>
      new Map((days ?? []).map(([date, occupancy, peak, latest]) => [date, { occupancy, peak, latest }])),
  );
}

type DayRow = [date: string, occupancy: number, peak: number, latest: number];

const statement = `
  select days
  from unnest($1::integer[], $2::date[], $3::date[]) with ordinality as wanted (id, first, last, place)
  cross join lateral (
    select json_agg(json_build_array(date, occupancy, peak, floor(extract(epoch from latest_at) * 1000))) as days
    from day where store_id = id and date >= first and date <= last
    offset 0
  ) found
  order by place`;
