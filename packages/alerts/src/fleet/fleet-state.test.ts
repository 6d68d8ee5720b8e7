import { readFleetState } from '@visitor-counter/database/fleet/fleet-state';
import { connected } from '@visitor-counter/test/connected';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';

async function oneStore() {
  const url = await testDatabase();
  const rows = seed(url);
  const database = connected(url, 1);
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
