import { projected } from '@visitor-counter/test/projected';
import { seed } from '@visitor-counter/test/seed';
import { startService } from '@visitor-counter/test/service-process';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test } from 'vitest';

const journals = 700;
/** 103 days of quarter hours. */
const range = 'bucket=15min&from=2026-08-01&to=2026-11-11';
const buckets = 103 * 96;

/** An api with little memory, over a store with two devices: one with many journals, one with a single journal. */
async function smallApi() {
  const databaseUrl = await testDatabase();
  const { company, store, device, credential, query, shopGroup } = seed(databaseUrl);
  const companyId = await company('Acme');
  const storeId = await store({ companyId, sid: 'S-1' });
  await shopGroup(companyId, 'West', [storeId]);
  const hostile = await device({ companyId, storeId, serial: 'CU-1' });
  const honest = await device({ companyId, storeId, serial: 'CU-2' });
  await credential({ companyId, kind: 'counts', value: 'token' });
  await query(
    `with added as (
       insert into journal (device_id, name)
       select $1::integer, 'journal ' || n from generate_series(1, $4::integer) n
       union all select $2::integer, 'journal' returning id, device_id
     )
     insert into crossing (journal_id, device_id, store_id, sequence, at, direction)
     select id, device_id, $3, n, timestamptz '2026-08-01T10:00Z' + n * interval '10 days', 1
     from added, generate_series(1, 3) n`,
    [hostile, honest, storeId, journals],
  );
  await query(
    `insert into mark (store_id, quarter)
     select distinct store_id, floor(extract(epoch from at) / 900)::integer from crossing`,
    [],
  );
  await projected(databaseUrl);
  const api = await startService('api', [], {
    DATABASE_URL: databaseUrl,
    HTTP_HOST: '127.0.0.1',
    HTTP_PORT: '0',
    METRICS_PORT: '0',
    NODE_OPTIONS: '--max-old-space-size=256',
  });
  onTestFinished(async () => void (await api.stop()));
  return async (by: string): Promise<Counts[]> => {
    const url = `http://127.0.0.1:${api.ready['httpPort']}/v1/counts?${range}&by=${by}`;
    const answer = await fetch(url, { headers: { authorization: 'token' } });
    expect(answer.status).toBe(200);
    return Object(await answer.json()).items;
  };
}

interface Counts {
  readonly device?: string;
  readonly in: number;
}

function entries(items: readonly Counts[]): number {
  return items.reduce((sum, item) => sum + item.in, 0);
}

test('counts a device of many journals in memory that depends on devices and buckets', async () => {
  const count = await smallApi();

  for (const by of ['store', 'group']) {
    const items = await count(by);
    expect(items).toHaveLength(buckets);
    expect(entries(items)).toBe(3 * (journals + 1));
  }
  const items = await count('device');
  expect(items).toHaveLength(2 * buckets);
  expect(entries(items.filter(({ device }) => device === 'CU-1'))).toBe(3 * journals);
  expect(entries(items.filter(({ device }) => device === 'CU-2'))).toBe(3);
});
