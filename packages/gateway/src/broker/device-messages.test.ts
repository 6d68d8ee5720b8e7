import { connectUnit, lastWill } from '@visitor-counter/test/unit-client';
import { gatewayChannels, topic, unitChannels } from '@visitor-counter/wire/topics';
import { expect, test } from 'vitest';
import { stored } from '../../test/crossings.ts';
import { sharedGateway } from '../../test/test-gateway.ts';

const testDevices = sharedGateway();

const oneCrossing = '{"journal":"j","first":1,"crossings":[[1700000000000,1]]}';

function foreignTopics(serial: string, other: string): string[] {
  return [
    ...unitChannels.map((channel) => topic(other, channel)),
    ...gatewayChannels.flatMap((channel) => [topic(serial, channel), topic(other, channel)]),
    topic(`${serial}0`, 'crossings'),
    topic(serial.slice(0, -1), 'crossings'),
    topic(serial.toLowerCase(), 'crossings'),
    topic(serial.replace('-', '.'), 'crossings'),
    topic(serial.replace('-', ' '), 'crossings'),
    `counter/v1/${serial}`,
    `counter/v1/${serial}/unknown`,
    `counter/v1/${serial}/crossings/`,
    `counter/v1/${serial}/crossings/more`,
    `counter/v1/${serial}/crossings\u0000`,
    `/counter/v1/${serial}/crossings`,
    `counter/v2/${serial}/crossings`,
    `$SYS/${serial}/crossings`,
    `$share/group/counter/v1/${serial}/crossings`,
    `counter/v1/+/crossings`,
    `counter/v1//crossings`,
    `counter//v1/${serial}/crossings`,
    `counter/v1/x/../${serial}/crossings`,
    `counter/v1/${serial}\u0301/crossings`,
    `counter/v1/${serial}/crossings `,
    `COUNTER/V1/${serial}/CROSSINGS`,
    `${'a/'.repeat(120)}a`,
  ];
}

test('closes the connection without PUBACK on a publish outside the own channels of the device', async () => {
  const gateway = await testDevices();
  const { mqttPort: port, serial, other } = gateway;

  for (const foreign of foreignTopics(serial, other)) {
    const unit = await connectUnit({ port, serial });
    const sent = unit.client.publishAsync(foreign, oneCrossing, { qos: 1 });
    sent.catch(() => {});
    const first = await Promise.race([unit.closed.then(() => 'closed'), sent.then(() => 'acknowledged')]);
    expect(first, foreign).toBe('closed');
  }

  expect(await stored(gateway)).toEqual([]);
});

test('closes the connection on QoS 2 and on every retained message except the status', async () => {
  const { mqttPort: port, serial } = await testDevices();
  const refused = [
    ['status', 'online', { qos: 2 }],
    ['crossings', oneCrossing, { retain: true }],
    ['heartbeat', '{"at":1}', { retain: true }],
    ['status', 'maybe', { retain: true }],
  ] as const;

  for (const [channel, content, options] of refused) {
    const unit = await connectUnit({ port, serial });
    await expect(unit.publish(channel, content, options)).rejects.toThrow('the connection ended');
  }
});

test('refuses a subscription outside the own channels of the device', async () => {
  const { mqttPort: port, serial, other } = await testDevices();
  const unit = await connectUnit({ port, serial });
  const filters = [
    '#',
    'counter/v1/+/time',
    `counter/v1/${serial}/#`,
    ...unitChannels.flatMap((channel) => [topic(serial, channel), topic(other, channel)]),
    ...gatewayChannels.map((channel) => topic(other, channel)),
    topic(`${serial}0`, 'commands'),
    topic(serial.slice(0, -1), 'commands'),
    topic(serial.toLowerCase(), 'commands'),
    topic(serial.replace('-', '.'), 'commands'),
    '$SYS/#',
    'constructor',
  ];

  for (const filter of filters) await expect(unit.client.subscribeAsync(filter), filter).rejects.toThrow();
});

test('accepts a retained status and a will of the unit itself, and subscriptions to its own channels', async () => {
  const { mqttPort: port, serial } = await testDevices();
  const unit = await connectUnit({ port, serial, options: { will: lastWill(serial), clean: false } });
  await unit.publish('status', 'online', { retain: true });
  const granted = await unit.client.subscribeAsync(
    gatewayChannels.map((channel) => topic(serial, channel)),
    { qos: 1 },
  );

  expect(granted.map(({ qos }) => qos)).toEqual([1, 1, 1]);
});
