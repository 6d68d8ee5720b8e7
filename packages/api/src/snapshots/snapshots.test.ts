import { ReplicatedServer } from '@visitor-counter/test/replicated-server';
import { startedOnce } from '@visitor-counter/test/started-once';
import { expect, test } from 'vitest';
import { credentials, cross, oneStore } from '../../test/one-store.ts';

const servers = startedOnce(async (atEnd) => {
  const server = await ReplicatedServer.start();
  atEnd(() => server.stop());
  return { server };
});

const company = 'GetCountsByCompanyAndDatePublic';
const day = { ...credentials, DateFrom: '2026-02-01', DateTo: '2026-02-01' };
const counts = '/v1/counts?from=2026-02-01&to=2026-02-01&bucket=day';

/** A store whose api has a replica, which may lag for a second. */
async function replicatedStore() {
  const { server } = servers();
  const standby = await server.standby();
  const databaseUrl = await server.database();
  const api = await oneStore({ databaseUrl, replica: { url: standby.urlOf(databaseUrl), maxLag: 1_000 } });
  const metrics = async () => {
    const page = await (await fetch(`http://127.0.0.1:${api.metricsPort}/metrics`)).text();
    const found = page.matchAll(
      /^visitor_counter_api_(?:reports_total\{database="(\w+)"\}|(replica_\w+)) (\S+)$/gm,
    );
    return Object.fromEntries(
      [...found].map(([, database, name, value]) => [database ?? name, Number(value)]),
    );
  };
  const isUnused = async () => (await metrics())['replica_unused'];
  const untilUsed = () => expect.poll(isUnused).toBe(0);
  const untilUnused = () => expect.poll(isUnused).toBe(1);
  await untilUsed();
  return { ...api, standby, metrics, untilUsed, untilUnused };
}

test('reads exports and reports from the replica, and nothing else', async () => {
  const api = await replicatedStore();
  await cross(api, [['2026-02-01T11:00:00Z', 1]]);
  await expect.poll(async () => (await api.post(company, day)).body).toMatchObject([{ Amount: 1 }]);
  const { replica = 0 } = await api.metrics();
  await api.get(counts);
  await api.get('/v1/crossings');
  await api.get('/v1/occupancy');
  await api.post('GetAllCountsByCompanyForTodayPublic', credentials);
  expect(await api.metrics()).toMatchObject({ replica: replica + 1, primary: 0 });
});

test('answers from the primary while the replica lags, and from the replica again when it has caught up', async () => {
  const api = await replicatedStore();
  await api.standby.pauseReplay();
  await cross(api, [['2026-02-01T11:00:00Z', 1]]);
  await api.untilUnused();
  expect((await api.post(company, day)).body).toMatchObject([{ Amount: 1 }]);
  expect(api.logged()).toContain('"reason":"it is more than 1 s behind"');
  const { primary } = await api.metrics();
  expect(primary).toBeGreaterThan(0);

  await api.standby.resumeReplay();
  await api.untilUsed();
  expect((await api.post(company, day)).body).toMatchObject([{ Amount: 1 }]);
  expect(await api.metrics()).toMatchObject({ primary, replica: 1 });
});

test('answers from the primary after the replica was promoted, and after it was killed', async () => {
  const api = await replicatedStore();
  await api.standby.promote();
  await api.untilUnused();
  expect(api.logged()).toContain('"reason":"it is not a standby"');
  await api.standby.kill();
  await cross(api, [['2026-02-01T11:00:00Z', 1]]);
  expect((await api.post(company, day)).body).toMatchObject([{ Amount: 1 }]);
});
