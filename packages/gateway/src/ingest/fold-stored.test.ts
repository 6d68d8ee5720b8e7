import { foldStored } from '@visitor-counter/database/occupancy/fold-stored';
import { openClient, planByKeys } from '@visitor-counter/database/sql/open-client';
import {
  correctionStretch,
  crossingStretch,
  foldActs,
  nothingFolded,
} from '@visitor-counter/domain/occupancy';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test, vi } from 'vitest';

const start = Date.parse('2026-11-20T10:00:00Z');
const quarter = 15 * 60_000;

/** At how many ms after the start how many people are inside. The first page of crossings ends within that of the second. */
const corrections = [
  [53, 2],
  [3_100, 100_000],
  [20_000, 0],
  [20_000, 1],
  [quarter, 3],
] as const;

test('folds quarter hours with very many crossings in their order, and reads few of them at a time', async () => {
  const url = await testDatabase();
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S' });
  const credential = await rows.credential({ companyId, kind: 'staff', value: 'c' });
  /* The names of the journals of the first device are in another order than their ids; many people leave by the second. */
  for (const [door, names] of [['b', 'a'], ['j'], ['j']].entries()) {
    const deviceId = await rows.device({ companyId, storeId, serial: `CU-${door}` });
    for (const name of names)
      await rows.query(insertCrossings, [await rows.journal(deviceId, name), deviceId, storeId, start]);
  }
  for (const [after, people] of corrections)
    await rows.query(insertCorrection, [storeId, credential, start + after, people]);
  const client = await openClient({ connectionString: url }, planByKeys);
  onTestFinished(() => client.end());
  const answers = vi.spyOn(client, 'query');

  const ranges = [-1, 0, 1, 2].map((n) => ({
    storeId,
    from: start + n * quarter,
    to: start + (n + 1) * quarter,
  }));
  const folded = await foldStored(client, ranges);

  const expected = ranges.map(async ({ from, to }) =>
    plainFold(await rows.query(plainActs, [storeId, from, to])),
  );
  expect(folded).toEqual(await Promise.all(expected));
  expect(folded[1]?.devices).toEqual({ 1: [9_334, 10_666], 2: [6_667, 3_333], 3: [6_667, 3_333] });
  const sizes = answers.mock.results.map(async ({ value }) => bytesIn((await value).rows));
  /* 16,000 crossings of 40,000: those of one device in one millisecond are read together. */
  expect(Math.max(...(await Promise.all(sizes)))).toBeLessThanOrEqual(16 * 16_000);
});

test('folds more crossings of one instant than are read of several ranges at a time', async () => {
  const url = await testDatabase();
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S' });
  const deviceId = await rows.device({ companyId, storeId, serial: 'CU-1' });
  await rows.query(
    `insert into crossing (journal_id, device_id, store_id, sequence, at, direction)
     select $1::integer, $2::integer, $3::integer, n, to_timestamp($4::float8 / 1000), 1
     from generate_series(1, 70000) n`,
    [await rows.journal(deviceId, 'j'), deviceId, storeId, start],
  );
  const client = await openClient({ connectionString: url }, planByKeys);
  onTestFinished(() => client.end());

  const [folded] = await foldStored(client, [{ storeId, from: start, to: start + quarter }]);

  expect(folded).toMatchObject({ latest: start, devices: { [deviceId]: [70_000, 0] } });
});

/** Ten thousand crossings: four in every twentieth of a second, the last six thousand in one ms, and some in the next quarter. */
const insertCrossings = `
  insert into crossing (journal_id, device_id, store_id, sequence, at, direction)
  select $1::integer, $2::integer, $3::integer, n, to_timestamp(($4::float8 + 50 * least(n / 4, 1000)) / 1000),
    case when n % 3 = 0 or n > 4000 and $1 = 2 then -1 else 1 end
  from generate_series(1, 10000) n
  union all
  select $1, $2, $3, 10000 + n, to_timestamp(($4::float8 + 900000 + n) / 1000), 1 from generate_series(1, 5) n`;

const insertCorrection = `
  insert into correction (store_id, credential_id, at, people, entered_by)
  values ($1, $2, to_timestamp($3::float8 / 1000), $4, 'staff')`;

/** Crossings and corrections in the order in which they take effect. */
const plainActs = `
  select at, device, direction, people
  from (
    select (extract(epoch from at) * 1000)::float8 as at, crossing.device_id as device, name collate "C" as journal, sequence,
      direction, null::integer as people
    from crossing join journal on journal.id = journal_id where store_id = $1::integer
    union all
    select (extract(epoch from at) * 1000)::float8, 2147483647, null, id, null, people
    from correction where store_id = $1::integer
  ) act
  where at >= $2::float8 and at < $3::float8 order by at, device, journal, sequence`;

function plainFold(acts: readonly Record<string, unknown>[]) {
  const devices: Record<number, [number, number]> = {};
  for (const { device, direction } of acts) {
    if (direction === null) continue;
    const [entries, exits] = devices[Number(device)] ?? [0, 0];
    devices[Number(device)] = direction === 1 ? [entries + 1, exits] : [entries, exits + 1];
  }
  const stretchOf = ({ direction, people }: Record<string, unknown>) =>
    direction === null ? correctionStretch(Number(people)) : crossingStretch(direction === 1 ? 1 : -1);
  const inOrder = acts.map((act) => ({ at: Number(act['at']), stretch: stretchOf(act) }));
  return { ...foldActs(nothingFolded, inOrder), devices };
}

function bytesIn(rows: readonly Record<string, unknown>[]): number {
  return rows.reduce((sum, { crossings }) => sum + (Buffer.isBuffer(crossings) ? crossings.length : 0), 0);
}
