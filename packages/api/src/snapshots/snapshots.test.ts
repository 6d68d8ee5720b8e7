import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { holdLock } from '@visitor-counter/test/held-lock';
import { ReplicatedServer } from '@visitor-counter/test/replicated-server';
import { startedOnce } from '@visitor-counter/test/started-once';
import { startDatabaseProxy, throughProxy } from '@visitor-counter/test/tcp-proxy';
import { expect, test } from 'vitest';
import { answerTo } from '../../test/api-under-test.ts';
import { everything } from '../../test/many-crossings.ts';
import { credentials, cross, oneStore } from '../../test/one-store.ts';
import {
  heldBackOn,
  maxLag,
  type Replicated,
  replicated,
  replicatedStore,
} from '../../test/replicated-store.ts';

const servers = startedOnce(async (atEnd) => {
  const server = await ReplicatedServer.start();
  atEnd(() => server.stop());
  return { server, standby: await server.standby() };
});

const company = 'GetCountsByCompanyAndDatePublic';
const day = { ...credentials, DateFrom: '2026-02-01', DateTo: '2026-02-01' };
const counts = '/v1/counts?from=2026-02-01&to=2026-02-01&bucket=day';

/** Enters a correction on 2026-02-01. */
function correct({ port }: Replicated, people: number) {
  return answerTo(`http://127.0.0.1:${port}/v1/corrections`, {
    method: 'POST',
    body: JSON.stringify({ store: 'S-1', people, by: 'Kim', at: '2026-02-01T12:00:00Z' }),
    headers: { authorization: 'Bearer staff-token', 'content-type': 'application/json' },
  });
}

/** The occupancy at the end of 2026-02-01. */
async function occupancy(api: Replicated): Promise<number> {
  const { body } = await api.get(counts);
  return Object(body).items[0].occupancy;
}

/** Requests all crossings and reads no more of the answer than its head. */
async function openExport(api: Replicated): Promise<IncomingMessage> {
  const call = request(api.url(company), { method: 'POST', agent: false });
  call.on('error', () => {});
  call.setHeader('content-type', 'application/x-www-form-urlencoded');
  call.end(new URLSearchParams(everything).toString());
  const [answer] = await once(call, 'response');
  await expect.poll(() => heldBackOn(api.standby)).toBe(1);
  return answer;
}

test('reads exports, crossings and counts from the replica, and nothing else', async () => {
  const api = await replicatedStore(servers());
  await cross(api, [['2026-02-01T11:00:00Z', 1]]);

  expect((await api.post(company, day)).body).toMatchObject([{ Amount: 1 }]);
  expect(await occupancy(api)).toBe(1);
  expect((await api.get('/v1/crossings')).body).toMatchObject({ items: [{ sequence: 1 }] });
  await api.post('GetAllCountsByCompanyForTodayPublic', credentials);
  await api.get('/v1/occupancy');
  await api.get('/v1/corrections');

  expect(await api.counted()).toMatchObject({ used: 3, none: 0, behind: 0, replica_unused: 0 });
  expect((await api.counted())['replica_lag_seconds']).toBeLessThan(1);
});

test('shows a caller its own changes while the replica lags, and reports that the replica is not used', async () => {
  const api = await replicatedStore(servers());
  for (const people of [3, 5]) {
    expect(await correct(api, people)).toMatchObject({ status: 201 });
    expect(await occupancy(api)).toBe(people);
  }
  await api.standby.pauseReplay();
  for (const people of [7, 9]) {
    await correct(api, people);
    expect(await occupancy(api)).toBe(people);
  }
  const { used = 0, behind } = await api.counted();
  expect(used).toBeGreaterThan(0);
  expect(behind).toBeGreaterThan(0);
  expect(api.logged()).toContain('"fault":"behind"');
  const health = await (await fetch(`http://127.0.0.1:${api.metricsPort}/ready`)).json();
  const remarks = { api: expect.stringContaining('the replica is not used: it is further behind') };
  expect(health).toEqual({ status: 'ok', roles: { api: 'ok' }, remarks });

  await api.standby.resumeReplay();
  await api.untilUsed();
  await correct(api, 11);
  expect(await occupancy(api)).toBe(11);
  expect((await api.counted())['used']).toBeGreaterThan(used);
});

test('waits for a replica that lags a little', async () => {
  const api = await replicatedStore(servers());
  const { used = 0 } = await api.counted();
  await api.standby.set('recovery_min_apply_delay', '200ms');
  await correct(api, 3);
  expect(await occupancy(api)).toBe(3);
  await api.standby.set('recovery_min_apply_delay', '0');
  expect(await api.counted()).toMatchObject({ used: used + 1, behind: 0 });
});

test('continues from a cursor of the replica on the primary, and back', async () => {
  const api = await replicatedStore(servers());
  const seen: number[] = [];
  let cursor = '';
  for (let number = 0; number < 12; number += 1) {
    if (number === 4) await api.standby.pauseReplay();
    if (number === 8) await api.standby.resumeReplay();
    if (number === 8) await api.untilUsed();
    await api.seed.query(
      `insert into crossing (journal_id, device_id, store_id, sequence, at, direction)
       values ($1, $2, $3, $4, '2026-02-01T12:00Z', 1)`,
      [api.journalId, api.deviceId, api.storeId, number],
    );
    await expect
      .poll(async () => {
        const page = await api.get(`/v1/crossings${cursor && `?after=${cursor}`}`);
        expect(page.status).toBe(200);
        cursor = Object(page.body).next;
        seen.push(...Object(page.body).items.map(({ sequence }: { sequence: number }) => sequence));
        return seen.length;
      })
      .toBe(number + 1);
  }
  expect(seen).toEqual(Array.from({ length: 12 }, (_, number) => number));
});

test('aborts an export when the replica fails, and answers the next one from the primary', {
  timeout: 120_000,
}, async () => {
  const own = await servers().server.standby({ max_standby_streaming_delay: '0' });
  const { databaseUrl, seed } = await replicatedStore({ ...servers(), standby: own, isLarge: true });
  const proxy = await startDatabaseProxy(own.urlOf(databaseUrl));
  const exportWhile = async (replicaUrl: string, fail: () => Promise<unknown>) => {
    await expect.poll(() => heldBackOn(own)).toBe(0);
    const replica = { url: replicaUrl, maxLag };
    const api = await replicated({ databaseUrl, replica, limits: { statement: 1_000 } }, own);
    const answer = await openExport(api);
    await fail();
    expect(await text(answer).catch((error: Error) => error)).toBeInstanceOf(Error);
    expect((await api.post(company, day)).body).toHaveLength(659);
    expect(await api.counted()).toMatchObject({ used: 1, replica_unused: 1 });
    return await api.counted();
  };
  const conflict = async () => {
    await seed.query('delete from crossing where sequence > 39000');
    await seed.query('vacuum crossing');
    await expect.poll(() => heldBackOn(own)).toBe(0);
  };
  expect(await exportWhile(own.urlOf(databaseUrl), conflict)).toMatchObject({ failed: 1 });
  await exportWhile(throughProxy(own.urlOf(databaseUrl), proxy), async () => proxy.swallow());
  proxy.cut();
  await exportWhile(own.urlOf(databaseUrl), () => own.kill());
});

test('answers from the primary if the replica fails before the first record', async () => {
  const api = await replicatedStore(servers());
  await cross(api, [['2026-02-01T11:00:00Z', 1]]);
  const lock = await holdLock(api.databaseUrl, 'lock table crossing in access exclusive mode');
  /* The lock reaches the standby with the next commit. */
  await api.seed.query('update store set capacity = 9');
  const answer = api.post(company, day);
  const waiting = `select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'
    and application_name = 'visitor-counter api'`;
  await expect.poll(async () => (await api.standby.query(waiting)).length).toBe(1);
  await lock.release();
  expect((await answer).body).toMatchObject([{ Amount: 1 }]);
  expect(await api.counted()).toMatchObject({ used: 0, failed: 1 });
});

test('answers from the primary while the replica is not a standby', async () => {
  const databaseUrl = await servers().server.database();
  const api = await oneStore({ databaseUrl, replica: { url: databaseUrl, maxLag } });
  await cross(api, [['2026-02-01T11:00:00Z', 1]]);
  expect((await api.post(company, day)).body).toMatchObject([{ Amount: 1 }]);
  await expect.poll(() => api.logged()).toContain('"fault":"not_a_standby"');
});
