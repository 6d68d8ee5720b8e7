import { startDatabaseProxy, throughProxy } from '@visitor-counter/test/tcp-proxy';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';
import { answerTo } from '../../test/api-under-test.ts';
import { credentials, oneStore, token } from '../../test/one-store.ts';

/** An api with a short time limit for statements, whose database can stop answering without closing connections. */
async function hangingStore() {
  const url = await testDatabase();
  const proxy = await startDatabaseProxy(url);
  const api = await oneStore({ databaseUrl: throughProxy(url, proxy), limits: { statement: 500 } });
  const headers = { authorization: `Bearer ${token}` };
  const base = `http://127.0.0.1:${api.port}`;
  const range = { ...credentials, DateFrom: '2026-11-01', DateTo: '2026-11-01' };
  const answers = async () =>
    await Promise.all([
      answerTo(`${base}/v1/stores`, { headers }),
      answerTo(`${base}/v1/counts`, { headers }),
      api.post('GetAllCountsByCompanyForTodayPublic', credentials),
      api.post('GetCountsByCompanyAndDatePublic', range),
    ]);
  return { proxy, answers };
}

test('answers 503 while the database is reachable and does not answer, and recovers', async () => {
  const { proxy, answers } = await hangingStore();
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
