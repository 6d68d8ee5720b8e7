import { rebuildProjection } from '@visitor-counter/database/projection/projection';
import { connect } from '@visitor-counter/database/sql/connect';
import { expect } from 'vitest';
import { projected } from './projected.ts';
import { seed } from './seed.ts';

/**
 * Expects that all numbers agree with crossings and corrections: derives them again, and compares. Returns the number of
 * quarter hours.
 */
export async function expectDerived(url: string): Promise<number> {
  await projected(url);
  const before = await derivedNumbers(url);
  const { kysely, close } = connect(url, { applicationName: 'expect derived' });
  await kysely.transaction().execute(rebuildProjection);
  await close();
  await projected(url);
  const after = await derivedNumbers(url);
  /* The row of a day lacks its last quarters until a later day has a crossing; derived again, it has them. */
  const bounds = (days: typeof after.days) => new Set(days.map(({ key }) => key));
  const [ofBefore, ofAfter] = [bounds(before.days), bounds(after.days)];
  const common = ({ quarters, devices, days }: typeof after) => ({
    quarters,
    devices,
    days: days.filter(({ key }) => ofBefore.has(key) && ofAfter.has(key)),
  });
  expect(common(before)).toEqual(common(after));
  return after.quarters.length;
}

async function derivedNumbers(url: string) {
  const { query } = seed(url);
  const [quarters, devices, days] = await Promise.all([
    query(`select store_id, quarter, sum, floor, peak_sum, peak_floor, latest_at from occupancy_quarter
      order by store_id, quarter`),
    query(
      `select * from device_quarter where entries <> 0 or exits <> 0 order by store_id, quarter, device_id`,
    ),
    query(`select concat_ws(' ', store_id, first_quarter, next_quarter) as key, * from store_day
      order by store_id, first_quarter`),
  ]);
  return { quarters, devices, days };
}
