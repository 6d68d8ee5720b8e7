import { holdLock } from '@visitor-counter/test/held-lock';
import { connectUnit, type UnitLogin } from '@visitor-counter/test/unit-client';
import { topic } from '@visitor-counter/wire/topics';
import { connectAsync } from 'mqtt';
import { expect, test, vi } from 'vitest';
import { startTestGateway } from '../testing/test-gateway.ts';

const wrongLogins: readonly Omit<UnitLogin, 'port'>[] = [
  { serial: 'CU-1', secret: 'wrong' },
  { serial: 'CU-1', secret: '' },
  { serial: 'CU-9' },
  { serial: 'CU-1', secret: 'secret of CU-2' },
  { serial: 'CU-1', options: { clientId: 'CU-2' } },
  { serial: 'CU-1', options: { username: 'CU-2' } },
  { serial: 'cu-1', secret: 'secret of CU-1' },
  { serial: 'CU-1', options: { clientId: 'tool' } },
];

test('refuses every login but that of a device with its own name and secret as not authorized', async () => {
  const { mqttPort: port } = await startTestGateway({ serials: ['CU-1', 'CU-2'] });

  for (const login of wrongLogins) {
    await expect(connectUnit({ port, ...login })).rejects.toMatchObject({ code: 5 });
  }
});

const status = {
  topic: topic('CU-1', 'status'),
  payload: Buffer.from('offline'),
  qos: 1,
  retain: true,
} as const;

test('refuses every last will but `offline` on its own status', async () => {
  const { mqttPort: port } = await startTestGateway({ serials: ['CU-1', 'CU-2'] });
  const wills = [
    { ...status, topic: topic('CU-2', 'status') },
    { ...status, topic: topic('CU-1', 'crossings'), retain: false },
    { ...status, payload: Buffer.from('gone') },
    { ...status, qos: 2 as const },
  ];

  for (const will of wills) {
    const login = connectUnit({ port, serial: 'CU-1', options: { will } });
    await expect(login).rejects.toMatchObject({ code: 5 });
  }
  await connectUnit({ port, serial: 'CU-1', options: { will: status } });
});

test('refuses who has neither name nor secret', async () => {
  const { mqttPort: port } = await startTestGateway({ serials: ['CU-1'] });

  const anonymous = connectAsync(`mqtt://127.0.0.1:${port}`, { clientId: 'CU-1', reconnectPeriod: 0 }, false);

  await expect(anonymous).rejects.toMatchObject({ code: 5 });
});

test('answers a login as unavailable when the database hangs', async () => {
  const { mqttPort: port, url } = await startTestGateway({ serials: ['CU-1'] });
  await holdLock(url, 'lock table device in access exclusive mode');

  const login = connectUnit({ port, serial: 'CU-1', options: { connectTimeout: 9_000 } });

  await expect(login).rejects.toMatchObject({ code: 3 });
}, 12_000);

test('leaves one socket and delivers once after many simultaneous logins of one device', async () => {
  const { mqttPort: port } = await startTestGateway({ serials: ['CU-1'] });
  const logins = await Promise.allSettled(
    Array.from({ length: 60 }, () => connectUnit({ port, serial: 'CU-1', options: { keepalive: 5 } })),
  );
  const units = logins.flatMap((login) => (login.status === 'fulfilled' ? login.value : []));

  await vi.waitFor(() => expect(units.filter(({ client }) => client.connected)).toHaveLength(1), 5_000);

  const last = units.find(({ client }) => client.connected);
  let delivered = 0;
  for (const { client } of units) client.on('message', () => (delivered += 1));
  await last?.client.subscribeAsync('counter/v1/CU-1/time');
  await last?.publish('heartbeat', JSON.stringify({ at: Date.now() }));
  await vi.waitFor(() => expect(delivered).toBe(1));
});

test('lets the newest of two clients of one device stay', async () => {
  const { mqttPort: port } = await startTestGateway({ serials: ['CU-1'] });
  const older = await connectUnit({ port, serial: 'CU-1' });

  const newer = await connectUnit({ port, serial: 'CU-1' });

  await older.closed;
  await newer.publish('status', 'online');
});
