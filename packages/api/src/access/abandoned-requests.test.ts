import { once } from 'node:events';
import { request } from 'node:http';
import { holdLock } from '@visitor-counter/test/held-lock';
import { expect, test } from 'vitest';
import { answerTo } from '../../test/api-under-test.ts';
import { oneStore, token } from '../../test/one-store.ts';

test('gives no place to callers who disconnect while their credential is looked up', async () => {
  const api = await oneStore();
  const url = `http://127.0.0.1:${api.port}/v1/stores`;
  const headers = { authorization: token };
  const { release } = await holdLock(api.databaseUrl, 'lock table credential in access exclusive mode');
  const calls = Array.from({ length: 8 }, () => request(url, { headers, agent: false }).end());
  for (const call of calls) call.on('error', () => {});
  await Promise.all(calls.map((call) => call.writableFinished || once(call, 'finish')));
  const isBlocked = () =>
    api.seed.query(`select from pg_stat_activity where application_name = 'visitor-counter api'
      and datname = current_database() and wait_event_type = 'Lock'`);
  await expect.poll(async () => (await isBlocked()).length).toBeGreaterThan(0);
  for (const call of calls) call.destroy();
  await expect.poll(() => api.logged().match(/"complete":false/g)?.length).toBe(calls.length);
  await release();
  expect((await answerTo(url, { headers })).status).toBe(200);
});
