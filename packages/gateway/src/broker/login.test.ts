import { holdLock } from '@visitor-counter/test/held-lock';
import { connectUnit, lastWill, type UnitLogin } from '@visitor-counter/test/unit-client';
import { topic } from '@visitor-counter/wire/topics';
import { connectAsync } from 'mqtt';
import { expect, test } from 'vitest';
import { asStored, entries, stored } from '../../test/crossings.ts';
import { sharedGateway, startTestGateway } from '../../test/test-gateway.ts';

const testDevices = sharedGateway();

test('refuses every login as not authorized, except that of a device with its own name and secret', async () => {
  const { mqttPort: port, serial, other } = await testDevices();
  const wrong: readonly Omit<UnitLogin, 'port'>[] = [
    { serial, secret: 'wrong' },
    { serial, secret: '' },
    { serial: 'CU-unknown' },
    { serial, secret: `secret of ${other}` },
    { serial, options: { clientId: other } },
    { serial, options: { username: other } },
    { serial: serial.toLowerCase(), secret: `secret of ${serial}` },
    { serial, options: { clientId: 'tool' } },
  ];

  for (const login of wrong) {
    await expect(connectUnit({ port, ...login })).rejects.toMatchObject({ code: 5 });
  }
});

test('refuses every last will but `offline` on its own status', async () => {
  const { mqttPort: port, serial, other } = await testDevices();
  const status = lastWill(serial);
  const wills = [
    { ...status, topic: topic(other, 'status') },
    { ...status, topic: topic(serial, 'crossings'), retain: false },
    { ...status, payload: Buffer.from('gone') },
    { ...status, qos: 2 as const },
  ];

  for (const will of wills) {
    const login = connectUnit({ port, serial, options: { will } });
    await expect(login).rejects.toMatchObject({ code: 5 });
  }
  await connectUnit({ port, serial, options: { will: status } });
});

test('stores the crossings of devices that log in at the same moment under the right device', async () => {
  const gateway = await testDevices();
  const { mqttPort: port, serial, other } = gateway;
  const sent = [entries(1, 10), entries(101, 10)] as const;
  for (let round = 0; round < 10; round += 1) {
    const units = await Promise.all([serial, other].map((name) => connectUnit({ port, serial: name })));
    await Promise.all(
      units.map((unit, index) => unit.crossings('j1', 100 * index + round + 1, [sent[index]?.[round]])),
    );
    for (const { client } of units) client.end(true);
    await Promise.all(units.map(({ closed }) => closed));
  }
  expect(await stored(gateway)).toEqual([
    ...asStored(serial, 'j1', 1, sent[0]),
    ...asStored(other, 'j1', 101, sent[1]),
  ]);
});
test('refuses a client without name and secret', async () => {
  const { mqttPort: port, serial } = await testDevices();

  const anonymous = connectAsync(`mqtt://127.0.0.1:${port}`, { clientId: serial, reconnectPeriod: 0 }, false);

  await expect(anonymous).rejects.toMatchObject({ code: 5 });
});

test('answers a login as unavailable when the database hangs', async () => {
  const { mqttPort: port, url, serial } = await startTestGateway({ loginDeadline: 300 });
  const lock = await holdLock(url, 'lock table device in access exclusive mode');

  const login = connectUnit({ port, serial });

  await expect(login).rejects.toMatchObject({ code: 3 });
  await lock.release();
});
