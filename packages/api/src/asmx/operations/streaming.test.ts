import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { holdLock } from '@visitor-counter/test/held-lock';
import { seed as openSeed } from '@visitor-counter/test/seed';
import { startedOnce } from '@visitor-counter/test/started-once';
import { databaseOfFile, testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';
import { apiUnderTest, type Fields, type TestOptions } from '../../../test/api-under-test.ts';
import {
  credentials,
  cross,
  lifeSignalKey,
  type OneStore,
  oneStore,
  seedOneStore,
} from '../../../test/one-store.ts';

/** With so long a name, an answer has 24 MB: more than fits into the buffers of a connection. */
const name = 'x'.repeat(500);
const rows = 40_000;
const everything = { ...credentials, DateFrom: '2026-01-01', DateTo: '2026-12-31' };

/** One store with many crossings, which are stored once for all tests. */
const filled = startedOnce(async (atEnd) => {
  const url = await databaseOfFile(atEnd);
  /* A database can be cloned when nobody is connected to it. */
  await using filling = new AsyncDisposableStack();
  const seed = openSeed(url, (end) => filling.defer(end));
  const ids = await seedOneStore(seed);
  await seed.query('update store set name = $1 where id = $2', [name, ids.storeId]);
  await seed.query(
    `insert into crossing (journal_id, device_id, store_id, sequence, at, direction)
     select $1, $2, $3, n, timestamptz '2026-02-01T12:00Z' + n * interval '1 minute', 1 - 2 * (n % 2)
     from generate_series(1, $4::int) n`,
    [ids.journalId, ids.deviceId, ids.storeId, rows],
  );
  return { template: new URL(url).pathname.slice(1), ids };
});

async function serve(options: TestOptions = {}): Promise<OneStore> {
  const { template, ids } = filled();
  return { ...(await apiUnderTest({ ...options, databaseUrl: await testDatabase(template) })), ...ids };
}

/** How many connections of the api are in a transaction. */
async function inTransaction({ seed }: OneStore): Promise<number> {
  const found = await seed.query(
    `select from pg_stat_activity
     where application_name = 'visitor-counter api' and datname = current_database() and xact_start is not null`,
  );
  return found.length;
}

/** Waits until the reader's connection is idle because its caller does not read. */
async function untilHeldBack(api: OneStore): Promise<void> {
  const idle = () =>
    api.seed.query(
      `select from pg_stat_activity where application_name = 'visitor-counter api'
       and datname = current_database() and state = 'idle in transaction' and state_change < now() - interval '0.2 s'`,
    );
  await expect.poll(async () => (await idle()).length).toBeGreaterThan(0);
}

/** Requests everything and reads no more of the answer than its head. */
async function open(api: OneStore): Promise<IncomingMessage> {
  const [answer] = await once(ask(api), 'response');
  return answer;
}

function ask(
  api: OneStore,
  fields: Fields = everything,
  operation = 'GetCountsByCompanyAndDatePublic',
): ClientRequest {
  const call = request(api.url(operation), { method: 'POST', agent: false });
  call.on('error', () => {});
  call.setHeader('authorization', lifeSignalKey);
  call.setHeader('content-type', 'application/x-www-form-urlencoded');
  call.end(new URLSearchParams(fields).toString());
  return call;
}

test('reads no faster than the caller does, and returns every record', async () => {
  const api = await serve();
  const before = process.memoryUsage();
  const answer = await open(api);
  await untilHeldBack(api);
  const growth = process.memoryUsage().external - before.external;

  const records: { DateTime: string }[] = JSON.parse(await text(answer));

  expect(growth).toBeLessThan(12 * 1024 * 1024);
  expect(records).toHaveLength(rows);
  expect(new Set(records.map(({ DateTime }) => DateTime)).size).toBe(rows);
  await expect.poll(() => inTransaction(api)).toBe(0);
});

test('releases the database connection when the caller has disconnected, and when the caller stops reading', async () => {
  const patient = await serve();
  const gone = await open(patient);
  await expect.poll(() => inTransaction(patient)).toBe(1);
  gone.destroy();
  await expect.poll(() => inTransaction(patient)).toBe(0);

  const api = await serve({ timeouts: { stalled: 1_000 } });
  const stalled = await open(api);
  await expect.poll(() => api.logged()).toContain('"complete":false');
  await expect.poll(() => inTransaction(api)).toBe(0);
  await expect(text(stalled)).rejects.toThrow(/aborted|ECONNRESET/);
});

test('aborts the connection when the database fails after the first record', async () => {
  const api = await serve();
  const answer = await open(api);
  await untilHeldBack(api);
  await api.seed.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'visitor-counter api' and datname = current_database()`,
  );

  await expect(text(answer)).rejects.toThrow(/aborted|ECONNRESET/);

  expect(api.logged()).toContain('"msg":"answer aborted"');
  expect((await api.post('GetAllCountsByCompanyForTodayPublic', credentials)).status).toBe(200);
});

test('answers small requests while all places for ranges are in use, and rejects the next range with 429', async () => {
  const api = await serve({ maxWait: 300, limits: { exports: 15 } });
  const open8 = await Promise.all(Array.from({ length: 8 }, () => open(api)));
  const ninth = await api.post('GetCountsByCompanyAndDatePublic', everything);
  expect(ninth.status).toBe(429);
  expect(ninth.headers.get('retry-after')).toBe('1');
  expect(ninth.body).toMatchObject({ status: 429, code: 'too_many_exports' });
  expect((await api.post('GetAllCountsByCompanyForTodayPublic', credentials)).status).toBe(200);

  for (const answer of open8) answer.destroy();
  await expect.poll(() => inTransaction(api)).toBe(0);
  expect(
    (await api.post('GetCountsByCompanyAndDatePublic', { ...everything, DateTo: '2026-01-02' })).text,
  ).toBe('[]');
});

test('leaves places to other companies while one with several credentials does not read', async () => {
  const api = await serve({ maxWait: 300 });
  const { seed, companyId } = api;
  await seed.credential({ companyId, kind: 'counts', value: 'another-token' });
  const other = await seed.company('Other');
  await seed.store({ companyId: other, sid: 'S-1' });
  await seed.credential({ companyId: other, kind: 'counts', value: 'other-token' });
  const asked = Array.from({ length: 12 }, (_, index) => {
    const call = ask(api, { ...everything, Token: index % 2 === 0 ? everything.Token : 'another-token' });
    /* With a listener the answer waits to be read. */
    return call.on('response', () => {});
  });
  await expect.poll(() => inTransaction(api)).toBe(4);
  await expect.poll(() => api.logged().split('"code":"too_many_exports"').length - 1).toBe(8);

  const fields = { ...everything, CompanyName: 'Other', Token: 'other-token' };
  for (let count = 0; count < 3; count += 1) {
    expect((await api.post('GetCountsByCompanyAndDatePublic', fields)).status).toBe(200);
  }
  expect(await inTransaction(api)).toBe(4);
  for (const call of asked) call.destroy();
});

test('answers 503 with Retry-After when a statement takes too long', async () => {
  const api = await oneStore({ limits: { statement: 300 } });
  await holdLock(api.databaseUrl, 'lock table crossing in access exclusive mode');
  const answer = await api.post('GetCountsByCompanyAndDatePublic', everything);
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('30');
  expect(answer.body).toMatchObject({ status: 503, code: 'database_too_slow' });
});

test('compresses if the caller accepts gzip, and flushes the first records', async () => {
  const api = await oneStore();
  await cross(api, [['2026-02-01T12:00Z', 1]]);
  const plain = await api.post('GetCountsByCompanyAndDatePublic', everything, {
    'accept-encoding': 'identity',
  });
  const packed = await api.post('GetCountsByCompanyAndDatePublic', everything, {
    'accept-encoding': 'br, gzip',
  });
  expect(plain.headers.get('content-encoding')).toBe(null);
  expect(packed.headers.get('content-encoding')).toBe('gzip');
  expect(packed.text).toBe(plain.text);
  expect(packed.body).toHaveLength(1);
});
