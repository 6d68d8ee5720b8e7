import { recordBackup } from '@visitor-counter/database/backup/dump';
import { readDatabaseState } from '@visitor-counter/database/fleet/database-state';
import { readFleetState } from '@visitor-counter/database/fleet/fleet-state';
import { connect } from '@visitor-counter/database/sql/connect';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test } from 'vitest';

async function oneStore() {
  const url = await testDatabase();
  const rows = seed(url);
  const database = connect(url, { applicationName: 'test', maxConnections: 1 });
  onTestFinished(() => database.close());
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S-1' });
  const device = (serial: string, secondsAgo?: number) => {
    const lastActivityAt = secondsAgo === undefined ? undefined : Date.now() - secondsAgo * 1_000;
    return rows.device({ companyId, storeId, serial, ...(lastActivityAt && { lastActivityAt }) });
  };
  const heartbeat = (deviceId: number, text: string, at = 'now') =>
    rows.query('update device_state set heartbeat = $2, heartbeat_at = $3 where device_id = $1', [
      deviceId,
      text,
      at,
    ]);
  return { url, rows, kysely: database.kysely, device, heartbeat };
}

/** Expects an age (s) of what was so many seconds old at some time since `begun` (epoch ms). */
function expectAge(seconds: number | null | undefined, before: number, begun: number): void {
  const rounding = 1;
  expect(seconds).toBeGreaterThanOrEqual(before - rounding);
  expect(seconds).toBeLessThanOrEqual(before + rounding + (Date.now() - begun) / 1_000);
}

test('counts devices in use by connection and trouble, without retired and revoked ones', async () => {
  const { rows, kysely, device, heartbeat } = await oneStore();
  const healthy = await device('healthy', 10);
  await rows.query('update device_state set online = true where device_id = $1', [healthy]);
  const present = `{"at":${Date.now()},"clock":"synced"`;
  await heartbeat(healthy, `${present},"diskFree":10000000000,"beams":[{"state":"clear"}]}`);
  const ill = await device('ill', 10);
  await heartbeat(
    ill,
    '{"clock":"unsynced","diskFree":100,"storage":"full","beams":[{"state": "blocked"}],"at":7}',
  );
  await rows.query('update device set direction_doubtful_since = now() where id = $1', [ill]);
  await heartbeat(await device('fast', 10), `{"at":${Date.now() + 700_000},"clock":"synced"}`);
  await heartbeat(await device('sunlit', 10), `${present},"lines":{"flickering":"a"}}`);
  await device('silent', 3_600);
  await device('short silence', 400);
  await device('new');
  for (const column of ['retired_at', 'secret_revoked_at']) {
    const id = await device(column, 86_400);
    await rows.query(`update device set ${column} = now() where id = $1`, [id]);
  }

  const { devices, troubles } = await readFleetState(kysely);

  expect(devices).toEqual({ online: 1, offline: 5, never_seen: 1 });
  expect(troubles).toEqual({
    silent: 1,
    clock: 2,
    beam: 2,
    storage: 1,
    disk: 1,
    cloned: 0,
    direction: 1,
  });
});

test('is read with any stored heartbeat, and compares the clocks of synchronised units only', async () => {
  const { rows, kysely, device, heartbeat } = await oneStore();
  expect((await readFleetState(kysely)).clockAhead).toBeNull();
  const hostile = [
    '7',
    '[]',
    '{"at":1e999,"clock":"synced"}',
    '{"at":"x","clock":{},"diskFree":-1,"diskSize":"a"}',
    '{"at":9999999999999999,"clock":"unsynced"}',
  ];
  for (const [index, text] of hostile.entries()) await heartbeat(await device(`hostile ${index}`, 1), text);
  for (const [index, at] of ['infinity', '-infinity', '290000-01-01', '4000-01-01 BC'].entries()) {
    const id = await device(`old ${index}`, 1);
    await heartbeat(id, '{"at":1,"clock":"synced"}', at);
    await rows.query('update device_state set last_activity_at = $2 where device_id = $1', [id, at]);
  }
  for (const [index, ahead] of [40_000, 50_000, 900_000].entries()) {
    const at = Date.now();
    const text = `{"at":${at + ahead},"clock":"synced"}`;
    await heartbeat(await device(`right ${index}`, 1), text, new Date(at).toISOString());
  }

  const { clockAhead } = await readFleetState(kysely);

  expect(clockAhead).toBeCloseTo(50, 0);
});

test('sums missing, lost and rejected crossings', async () => {
  const { rows, kysely, device } = await oneStore();
  const [one, two] = [await device('one', 1), await device('two', 1)];
  const journalId = await rows.journal(one, 'j');
  await rows.query(
    `update journal set missing = '{[1,5],[8,8]}', missing_since = now(), lost = '{[10,12],[50,59]}', lost_at = now(),
       lost_lately = 3, accounted = '{[10,12],[30,30]}' where id = $1`,
    [journalId],
  );
  await rows.query(
    `update journal set lost = '{[20,29]}', lost_at = now() - interval '2 days', lost_lately = 10 where id = $1`,
    [await rows.journal(one, 'before')],
  );
  for (const [deviceId, count] of [[one, 3] as const, [two, 1] as const]) {
    await rows.query(
      `insert into rejected_message (device_id, topic, reason, payload, digest)
       select $1, 't', 'instant: x', '', n::text::bytea from generate_series(1, $2::integer) n`,
      [deviceId, count],
    );
  }

  expect(await readFleetState(kysely)).toMatchObject({
    missing: 6,
    lost: 3,
    rejected: 4,
    mostRejected: 3,
  });
});

test('the state of the database has its clock, and the last backup if there is one', async () => {
  const { rows, kysely, url } = await oneStore();
  expect(await readDatabaseState(kysely)).toEqual({
    storingSeenAt: null,
    backupAt: null,
    projectionPending: 0,
    clockAhead: 0,
  });

  const begun = Date.now();
  await rows.query(`insert into mark (store_id, quarter, written_at) values (1, 1, now() - interval '90 s')`);
  await recordBackup(url, 1_000_000_000_000);
  /* By a clock that was ahead. */
  await recordBackup(url, 4_000_000_000_000);
  const backupAt = begun - 60_000;
  await recordBackup(url, backupAt);
  const later = await readDatabaseState(kysely);
  expectAge(later.projectionPending, 90, begun);
  expect(later.backupAt).toBeCloseTo(backupAt / 1_000, 2);
});
