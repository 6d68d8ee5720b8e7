import { countByDevice, countStores } from '@visitor-counter/database/occupancy/count-stores';
import { connect } from '@visitor-counter/database/sql/connect';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test } from 'vitest';

const quarter = 15 * 60_000;

test('counts many buckets that begin within quarter hours at many doors', async () => {
  const url = await testDatabase();
  const database = connect(url, { applicationName: 'test' });
  onTestFinished(() => database.close());
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S', dayStartsAt: '04:07' });
  await rows.device({ companyId, storeId, serial: 'CU-1' });
  const start = Date.parse('2026-06-20T04:07:00Z');
  const [count, doors] = [11_000, 12];
  await rows.query(insertParts, [storeId, start, count, doors]);

  const starts = Array.from({ length: count }, (_, n) => start + n * quarter);
  const wanted = [{ storeId, starts, to: start + count * quarter }];
  const all = await countStores(database.kysely, wanted, Number.POSITIVE_INFINITY);
  expect(all[0]?.entries).toEqual(starts.map(() => doors));
  expect(all[0]?.exits).toEqual(starts.map(() => 2 * doors));
  const [own] = await countByDevice(database.kysely, wanted, Number.POSITIVE_INFINITY);
  expect(own?.get('CU-1')).toEqual({ entries: starts.map(() => 1), exits: starts.map(() => 2) });
});

/** A part for each bucket, in which each door has counted one entry and two exits. */
const insertParts = `
  insert into occupancy_part (store_id, starts_at, sum, floor, peak_sum, peak_floor, devices)
  select $1, to_timestamp($2::float8 / 1000) + n * interval '15 minutes', 0, 0, 0, 0, (
    select json_object_agg(door, '[1, 2]'::json) from generate_series(1, $4::integer) door
  )
  from generate_series(0, $3::integer - 1) n`;
