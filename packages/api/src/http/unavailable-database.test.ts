import { startDatabaseProxy, throughProxy } from '@visitor-counter/test/tcp-proxy';
import { databaseWithoutTables, testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';
import { answerTo, apiUnderTest } from '../../test/api-under-test.ts';
import { credentials, oneStore } from '../../test/one-store.ts';

const today = 'GetAllCountsByCompanyForTodayPublic';

test('answers 503 while the database is unavailable, also before the first migration, and recovers automatically', async () => {
  const url = await databaseWithoutTables();
  const proxy = await startDatabaseProxy(url);
  proxy.refuse();
  const api = await apiUnderTest({ databaseUrl: throughProxy(url, proxy) });
  const probe = (name: string) => answerTo(`http://127.0.0.1:${api.port}/${name}`, {});
  const away = async () => {
    expect(await probe('health')).toMatchObject({ status: 503, text: '{"status":"unavailable"}' });
    expect((await probe('ready')).status).toBe(503);
    expect((await probe('live')).status).toBe(200);
    const answer = await api.post(today, credentials);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(answer.body).toMatchObject({ status: 503, code: 'database_unavailable' });
  };
  const back = async () => {
    proxy.carry();
    await expect.poll(async () => (await probe('health')).status).toBe(200);
    expect((await api.post(today, credentials)).body).toMatchObject({ code: 'invalid_credential' });
  };

  await away();
  await back();
  proxy.refuse();
  await away();
  await back();
});

test('answers 503 while the database is reachable and does not answer, and recovers', async () => {
  const url = await testDatabase();
  const proxy = await startDatabaseProxy(url);
  const api = await oneStore({ databaseUrl: throughProxy(url, proxy), limits: { statement: 500 } });
  const range = { ...credentials, DateFrom: '2026-11-01', DateTo: '2026-11-01' };
  const answers = () =>
    Promise.all([
      api.get('/v1/stores'),
      api.get('/v1/counts'),
      api.post(today, credentials),
      api.post('GetCountsByCompanyAndDatePublic', range),
    ]);
  expect((await answers()).map(({ status }) => status)).toEqual([200, 200, 200, 200]);

  proxy.swallow();
  for (const { status, headers, body } of await answers())
    expect([status, headers.get('retry-after'), Object(body).code]).toEqual([
      503,
      '5',
      'database_unavailable',
    ]);

  proxy.carry();
  expect((await answers()).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});
