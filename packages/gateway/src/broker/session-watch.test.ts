import { startGatewayProcess } from '@visitor-counter/test/gateway-process';
import { startDatabaseProxy, throughProxy } from '@visitor-counter/test/tcp-proxy';
import { testDatabase } from '@visitor-counter/test/test-database';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, test } from 'vitest';
import { type SeededDevices, seedDevices, startOn, startTestGateway } from '../../test/test-gateway.ts';

async function connectionOf({ seed }: SeededDevices, deviceId: number) {
  const [row] = await seed.query('select * from device_connection where device_id = $1', [deviceId]);
  return { online: row?.['online'], changedAt: Number(row?.['online_changed_at']) };
}

/** What the gateway of the newest connection has reported, however long ago. */
async function reportedBy({ seed }: SeededDevices, deviceId: number) {
  const [row] = await seed.query('select * from device_state where device_id = $1', [deviceId]);
  return { online: row?.['online'], changedAt: Number(row?.['online_changed_at']) };
}

const isOnline = async (seeded: SeededDevices, deviceId = seeded.deviceId) =>
  (await connectionOf(seeded, deviceId)).online;

async function connectOnline(login: { port: number; serial: string }) {
  const unit = await connectUnit(login);
  await unit.publish('status', 'online');
  return unit;
}

test('shows the units of a killed gateway offline when its lease ends, except those that are at another one', async () => {
  const seeded = await seedDevices(await testDatabase());
  const { url, serial, other, deviceId, otherId } = seeded;
  const living = await startOn(url);
  const dying = await startGatewayProcess(url);
  const port = Number(dying.ready['mqttPort']);
  await connectOnline({ port, serial });
  await connectOnline({ port, serial: other });

  await dying.kill();
  await connectOnline({ port: living.mqttPort, serial: other });
  const ofDying = 'where id = (select gateway_id from device_state where device_id = $1)';
  const [lease] = await seeded.seed.query(
    `select extract(epoch from believed_until - seen_at)::integer as seconds from gateway ${ofDying}`,
    [deviceId],
  );
  expect(lease).toEqual({ seconds: 15 });
  /* As if the gateway had been killed this long ago. */
  const killed = async (secondsAgo: number) => {
    const [row] = await seeded.seed.query(
      `update gateway set seen_at = now() - $2::integer * interval '1 s',
         believed_until = now() + (believed_until - seen_at) - $2::integer * interval '1 s'
       ${ofDying} returning seen_at`,
      [deviceId, secondsAgo],
    );
    return Number(row?.['seen_at']);
  };
  await killed(-40);
  expect(await isOnline(seeded)).toBe(true);
  await seeded.seed.query(
    `update device_state set online_changed_at = now() - interval '1 h' where device_id = $1`,
    [deviceId],
  );
  const seenAt = await killed(15);
  expect(await connectionOf(seeded, deviceId)).toEqual({ online: false, changedAt: seenAt });
  expect(await isOnline(seeded, otherId)).toBe(true);
});

test('shows a unit online again when its gateway was only stalled', async () => {
  const seeded = await seedDevices(await testDatabase());
  const proxy = await startDatabaseProxy(seeded.url);
  const stalled = await startOn(throughProxy(seeded.url, proxy), { lease: 1_000, stateInterval: 50 });
  const unit = await connectOnline({ port: stalled.mqttPort, serial: seeded.serial });
  const left = await connectOnline({ port: stalled.mqttPort, serial: seeded.other });
  const before = await reportedBy(seeded, seeded.deviceId);
  expect(before.online).toBe(true);

  proxy.refuse();
  await expect.poll(() => isOnline(seeded)).toBe(false);
  await startOn(seeded.url);
  left.client.stream.destroy();
  proxy.carry();

  await expect.poll(() => connectionOf(seeded, seeded.deviceId)).toEqual(before);
  await expect.poll(() => isOnline(seeded, seeded.otherId)).toBe(false);
  expect(unit.client.connected).toBe(true);
});

test('shows a unit offline whose newer connection has not sent anything', async () => {
  const gateway = await startTestGateway();
  const { mqttPort: port, serial } = gateway;
  await connectOnline({ port, serial });

  await connectUnit({ port, serial });

  expect(await isOnline(gateway)).toBe(false);
});
