import { type Folded, nothingFolded } from '@visitor-counter/domain/occupancy';
import type { ClientBase } from 'pg';
import type { Quarter } from '../occupancy/quarter.ts';
import type { QuarterRange } from '../occupancy/read-quarters.ts';
import { foldDays } from '../projection/compose-days.ts';
import { runStatement } from '../sql/run-statement.ts';

/**
 * A row of a business day; a sum or an instant of null is -Infinity. `hasCounts`: entries and exits are those of
 * its quarters.
 */
interface DayRow extends QuarterRange {
  readonly sum: number | null;
  readonly floor: number;
  readonly peakSum: number;
  readonly peakFloor: number;
  readonly latest: number | null;
  readonly hasCounts: boolean;
}

/** Days that are compared at once. */
const atOnce = 500;

/** The business days whose rows do not equal the quarters that they name, each by the last of these quarters. */
export async function wrongDays(client: ClientBase): Promise<Quarter[]> {
  const wrong: Quarter[] = [];
  let after: Pick<QuarterRange, 'storeId' | 'first'> = { storeId: -2_147_483_648, first: 0 };
  for (;;) {
    const page = await runStatement<DayRow>(client, 'check-days', statement, [
      after.storeId,
      after.first,
      atOnce,
    ]);
    const overlapping = page.filter((row, index) => overlap(row, page[index - 1]));
    const apart = page.filter((row) => !overlapping.includes(row));
    for (const rows of [apart, ...overlapping.map((row) => [row])]) {
      const folded = await foldDays(client, rows);
      const differs = (row: DayRow, index: number) =>
        !row.hasCounts || !isSameFold(foldedIn(row), folded[index] ?? nothingFolded);
      wrong.push(...rows.filter(differs).map(({ storeId, next }) => ({ storeId, quarter: next - 1 })));
    }
    after = page.at(-1) ?? after;
    if (page.length < atOnce) return wrong;
  }
}

/** Rows of two calendars that the store has had. */
function overlap(row: QuarterRange, before: QuarterRange | undefined): boolean {
  return before?.storeId === row.storeId && before.next > row.first;
}

function foldedIn({ sum, floor, peakSum, peakFloor, latest }: DayRow): Folded {
  return {
    stretch: { sum: sum ?? Number.NEGATIVE_INFINITY, floor, peakSum, peakFloor },
    latest: latest ?? Number.NEGATIVE_INFINITY,
  };
}

export function isSameFold(a: Folded, b: Folded): boolean {
  return (
    a.latest === b.latest &&
    a.stretch.sum === b.stretch.sum &&
    a.stretch.floor === b.stretch.floor &&
    a.stretch.peakSum === b.stretch.peakSum &&
    a.stretch.peakFloor === b.stretch.peakFloor
  );
}

const statement = `
  select day.store_id as "storeId", first_quarter as first, next_quarter as next, sum, floor, peak_sum as "peakSum",
    peak_floor as "peakFloor", (extract(epoch from latest_at) * 1000)::float8 as latest,
    (day.entries, day.exits) = (counted.entries, counted.exits) as "hasCounts"
  from store_day day
  cross join lateral (
    select coalesce(sum(entries), 0) as entries, coalesce(sum(exits), 0) as exits
    from device_quarter device
    where device.store_id = day.store_id and quarter >= first_quarter and quarter < next_quarter
  ) counted
  where (day.store_id, first_quarter) > ($1::integer, $2::integer)
  order by day.store_id, first_quarter limit $3::integer`;
