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
  expect(before).toEqual(await derivedNumbers(url));
  return before.states.length;
}

async function derivedNumbers(url: string) {
  const { query } = seed(url);
  const [states, quarters, days] = await Promise.all([
    query('select * from quarter_state order by store_id, quarter'),
    query('select * from quarter order by store_id, quarter, device_id'),
    query('select * from day order by store_id, date'),
  ]);
  return { states, quarters, days };
}
