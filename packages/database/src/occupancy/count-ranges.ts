import { numberColumns } from '../sql/arrays.ts';
import { type Connection, runStatement } from '../sql/run-statement.ts';
import type { QuarterRange } from './read-quarters.ts';

/** Quarters of the store at a place of the list, from `first` to the one before `next`. */
export interface PlacedRange extends QuarterRange {
  readonly place: number;
}

/** About how many rows one statement reads. */
const rowsAtOnce = 200_000;

/** The rows of ranges as bytes, of as many ranges at once as have about as many rows as one statement reads. */
export async function readCounts(
  connection: Connection,
  name: string,
  statement: string,
  ranges: readonly PlacedRange[],
  quartersOfRow: number,
): Promise<Buffer[]> {
  const found: Buffer[] = [];
  for (let start = 0; start < ranges.length; ) {
    let [end, rows] = [start, 0];
    for (; end < ranges.length && rows < rowsAtOnce; end += 1) {
      const { first = 0, next = 0 } = ranges[end] ?? {};
      rows += 1 + (next - first) / quartersOfRow;
    }
    const some = ranges.slice(start, end);
    const values = numberColumns(some, 'place', 'storeId', 'first', 'next');
    const [row] = await runStatement<{ counts: Buffer | null }>(connection, name, statement, values);
    if (row?.counts) found.push(row.counts);
    start = end;
  }
  return found;
}

const wantedRanges =
  'unnest($1::integer[], $2::integer[], $3::integer[], $4::integer[]) as wanted (place, id, first, next)';

/* One value: see read-quarters.ts. */
/** Rows of business days that begin in a range: place, first and next quarter, entries, exits. */
export const daysStatement = `
  select string_agg(
    int8send(place::bigint << 32 | first_quarter) || int8send(next_quarter::bigint << 32 | entries) || int4send(exits), ''
  ) as counts
  from ${wantedRanges}
  cross join lateral (
    select first_quarter, next_quarter, entries, exits from store_day
    where store_id = id and first_quarter >= first and first_quarter < next
    offset 0
  ) found`;

/** Quarters of a range, one for each device: place, quarter, entries, exits. */
export const quartersStatement = `
  select string_agg(
    int8send(place::bigint << 32 | quarter) || int8send(entries::bigint << 32 | exits), ''
  ) as counts
  from ${wantedRanges}
  cross join lateral (
    select quarter, entries, exits from device_quarter
    where store_id = id and quarter >= first and quarter < next
    offset 0
  ) found`;
