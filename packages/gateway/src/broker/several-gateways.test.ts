import { hashSecret } from '@visitor-counter/database/credentials/credentials';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, test } from 'vitest';
import { entries, stored } from '../../test/crossings.ts';
import { startOn, startTestGateway, type TestGateway } from '../../test/test-gateway.ts';

const isOnline = async ({ seed, deviceId }: TestGateway) =>
  (await seed.query('select online from device_state where device_id = $1', [deviceId]))[0]?.['online'];

test('leaves only the newest connection of a device at one of two gateways', async () => {
  const gateway = await startTestGateway();
  const { url, serial } = gateway;
  const second = await startOn(url);
  const older = await connectUnit({ port: gateway.mqttPort, serial });
  await older.publish('status', 'online');

  const newer = await connectUnit({ port: second.mqttPort, serial });
  await newer.publish('status', 'online');
  await older.closed;

  await newer.crossings('j1', 1, entries(1, 1));
  expect(await stored(gateway)).toHaveLength(1);
  await expect.poll(() => isOnline(gateway)).toBe(true);
});

test('leaves one socket after many simultaneous logins of one device at two gateways', async () => {
  const { url, serial, mqttPort } = await startTestGateway();
  const second = await startOn(url);
  const ports = [mqttPort, second.mqttPort];

  const logins = await Promise.allSettled(
    Array.from({ length: 60 }, (_, index) => connectUnit({ port: ports[index % 2] ?? 0, serial })),
  );

  const units = logins.flatMap((login) => (login.status === 'fulfilled' ? login.value : []));
  const connected = () => units.filter(({ client }) => client.connected);
  await expect.poll(connected).toHaveLength(1);
  await connected()[0]?.publish('status', 'online');
});

test.each([
  ['changed', 'update device set secret_hash = $2 where serial = $1', [hashSecret('another secret')]],
  ['revoked', 'update device set secret_revoked_at = now() where serial = $1', []],
])('ends the connection of a device whose secret was %s, and no other', async (_, change, values) => {
  const gateway = await startTestGateway();
  const { mqttPort: port, serial, other, seed } = gateway;
  const unit = await connectUnit({ port, serial });
  await unit.publish('status', 'online');
  const neighbour = await connectUnit({ port, serial: other });

  await seed.query(change, [serial, ...values]);
  await unit.closed;

  await expect(connectUnit({ port, serial })).rejects.toMatchObject({ code: 5 });
  expect(neighbour.client.connected).toBe(true);
  await expect.poll(() => isOnline(gateway)).toBe(false);
});
