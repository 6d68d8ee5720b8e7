import { startRemover } from '@visitor-counter/database/retention/remover';
import { untilTransactionsEnd } from '@visitor-counter/test/until-transactions-end';
import { expect, onTestFinished, test } from 'vitest';
import { answerTo } from '../../test/api-under-test.ts';
import { credentials, cross, type OneStore, oneStore, token } from '../../test/one-store.ts';

const now = Date.parse('2026-11-23T12:00:00Z');

/** A store with a crossing each day from September on; `late` ones are stored after them. */
async function withRetention(late: readonly string[] = []) {
  const api = await oneStore({ now: () => now });
  const days = Array.from({ length: 80 }, (_, day) => Date.parse('2026-09-01T10:00:00Z') + day * 86_400_000);
  const instants = [...days.map((at) => new Date(at).toISOString()), ...late];
  await cross(
    api,
    instants.map((at) => [at, 1] as const),
  );
  const range = (DateFrom: string) =>
    api.post('GetCountsByCompanyAndDatePublic', { ...credentials, DateFrom, DateTo: '2026-11-22' });
  const get = (path: string) =>
    answerTo(`http://127.0.0.1:${api.port}${path}`, { headers: { authorization: token } });
  return { ...api, range, get };
}

async function removeOlderThanAMonth({ databaseUrl, seed }: OneStore) {
  await seed.query('update company set retention_months = 1');
  await untilTransactionsEnd(databaseUrl);
  const remover = startRemover({
    url: databaseUrl,
    applicationName: 'test remover',
    now: () => now,
    onProblem: () => {},
  });
  onTestFinished(() => remover.close());
  await expect
    .poll(() => seed.query('select from retention_pass where finished_at is not null'))
    .toHaveLength(1);
}

test('ranges before the crossings that are kept are an error, and the days from then on are answered', async () => {
  const api = await withRetention();
  await removeOlderThanAMonth(api);

  const refused = await api.range('2026-10-23');
  expect(refused.status).toBe(400);
  expect(refused.body).toMatchObject({ code: 'crossings_removed', parameter: 'DateFrom' });
  expect(refused.text).toContain('ranges begin on 2026-10-24 or later');
  const answered = await api.range('2026-10-24');
  expect(answered.status).toBe(200);
  expect(answered.body).toHaveLength(27);

  const counts = await api.get('/v1/counts?bucket=day&from=2026-09-01&to=2026-10-22');
  expect(counts.body).toMatchObject({ items: Array.from({ length: 52 }, () => ({ in: 1 })) });
});

test('a cursor is an error if crossings that follow it were removed, and valid if its reader has read them', async () => {
  const api = await withRetention();
  const read = async (query: string) => {
    const answer = await api.get(`/v1/crossings?${query}`);
    return { ...Object(answer.body), status: answer.status };
  };
  await untilTransactionsEnd(api.databaseUrl);
  const few = await read('limit=10');
  const all = await read('limit=1000');
  expect(all.items).toHaveLength(80);
  await removeOlderThanAMonth(api);

  expect(await read(`after=${few.next}`)).toMatchObject({ status: 400, code: 'crossings_removed' });
  expect(await read(`after=${all.next}`)).toMatchObject({ status: 200, items: [], more: false });
  expect(await read('from=2026-10-22T23:59:59Z')).toMatchObject({ status: 400, code: 'crossings_removed' });
  expect((await read('from=2026-10-23T00:00:00Z')).items).toHaveLength(28);
  const first = await read('limit=10');
  expect(first.items).toHaveLength(10);
  expect((await read(`limit=1000&after=${first.next}`)).items).toHaveLength(18);
});

test('a cursor is an error if only the crossing that was stored last follows it, and others were removed after that', async () => {
  const api = await withRetention(['2026-09-01T12:00:00Z']);
  await untilTransactionsEnd(api.databaseUrl);
  const most = Object((await api.get('/v1/crossings?limit=80')).body);
  await removeOlderThanAMonth(api);

  expect((await api.get(`/v1/crossings?after=${most.next}`)).body).toMatchObject({
    code: 'crossings_removed',
  });
});

test('a cursor at the end is valid although crossings of another store, stored together with the last one, were removed', async () => {
  const api = await withRetention();
  const { seed, companyId } = api;
  const storeId = await seed.store({ companyId, sid: 'S-2' });
  const deviceId = await seed.device({ companyId, storeId, serial: 'CU-0002' });
  const journalId = await seed.journal(deviceId, 'journal-b');
  const last = { sequence: 81, at: Date.parse('2026-09-01T12:00:00Z'), direction: 1 } as const;
  await seed.crossings([
    { ...last, journalId: api.journalId, deviceId: api.deviceId, storeId: api.storeId },
    { ...last, journalId, deviceId, storeId },
  ]);
  await untilTransactionsEnd(api.databaseUrl);
  const all = Object((await api.get('/v1/crossings?store=S-1&limit=1000')).body);
  expect(all.items).toHaveLength(81);
  await removeOlderThanAMonth(api);

  const { body } = await api.get(`/v1/crossings?store=S-1&after=${all.next}`);
  expect(body).toMatchObject({ items: [], more: false });
});

test('a cursor is valid although crossings of another company were removed', async () => {
  const api = await withRetention();
  await untilTransactionsEnd(api.databaseUrl);
  const few = Object((await api.get('/v1/crossings?limit=10')).body);
  await api.seed.query(
    `insert into retention_pass (company_id, removed_before, horizon, removes_below, last_transaction)
     values ($1, '2026-10-01Z', 1000000, 1000000, 9e18)`,
    [await api.seed.company('Other')],
  );

  expect((await api.get(`/v1/crossings?after=${few.next}`)).status).toBe(200);
});

test('a range begins in each store with the first whole day that is kept there', async () => {
  const api = await withRetention();
  const { seed, companyId } = api;
  const storeId = await seed.store({ companyId, sid: 'S-2', timeZone: 'UTC' });
  await seed.device({ companyId, storeId, serial: 'CU-0002' });
  await removeOlderThanAMonth(api);

  for (const from of ['2026-10-22', '2026-10-23'])
    expect((await api.range(from)).text).toContain('ranges begin on 2026-10-24 or later');
  const range = { ...credentials, SerialNumber: 'CU-0002', DateFrom: '2026-10-23', DateTo: '2026-11-22' };
  expect((await api.post('GetCountsBySerialNumberAndDatePublic', range)).status).toBe(200);
});

test('a reader that begins after the removal may continue, also if removed crossings were stored last', async () => {
  const api = await withRetention(['2026-09-01T12:00:00Z']);
  await removeOlderThanAMonth(api);
  const first = Object((await api.get('/v1/crossings?limit=10')).body);
  expect(first.items).toHaveLength(10);
  const rest = Object((await api.get(`/v1/crossings?after=${first.next}`)).body);
  expect(rest.items).toHaveLength(18);
});

test('says which days begin or end within a quarter hour whose crossings were removed', async () => {
  const api = await withRetention();
  await removeOlderThanAMonth(api);
  const incomplete = async () => {
    const { body } = await api.get('/v1/visitors?from=2026-10-20&to=2026-10-26&bucket=day');
    return Object(body).items.map((item: { incomplete: string[] }) => item.incomplete.includes('removed'));
  };
  expect(await incomplete()).toEqual([false, false, false, false, false, false, false]);
  await api.seed.query(`update store set day_starts_at = '12:07'`);
  expect(await incomplete()).toEqual([true, true, true, false, false, false, false]);
});
