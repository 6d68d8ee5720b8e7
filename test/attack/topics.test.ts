import { connectUnit } from '@visitor-counter/test/unit-client';
import { type Channel, gatewayChannels, topic, unitChannels } from '@visitor-counter/wire/topics';
import { expect, test } from 'vitest';
import { generatedTopology } from './generated-topology.ts';

const channels: readonly Channel[] = [...unitChannels, ...gatewayChannels];

const payloadOf: Record<Channel, string> = {
  crossings: '{"journal":"j","first":1,"crossings":[[1700000000000,1]]}',
  heartbeat: '{"at":1700000000000}',
  status: 'online',
  diagnosis: '{"id":1,"at":1,"findings":[],"log":[],"omitted":0}',
  config: '{}',
  commands: '{}',
  time: '{"at":1}',
};

test('rejects every topic of another device: published, retained, as a will, subscribed', async () => {
  const { serials, rows, port } = await generatedTopology();
  const ownChannels: ReadonlySet<Channel> = new Set(unitChannels);
  const got: string[] = [];
  let tried = 0;

  /* One device of each company. */
  for (const attacker of serials.slice(0, 2)) {
    for (const owner of serials) {
      for (const channel of channels) {
        if (attacker === owner && ownChannels.has(channel)) continue;
        const target = topic(owner, channel);
        const [payload, what] = [payloadOf[channel], `${attacker} on ${target}`];
        for (const retain of [false, true]) {
          const unit = await connectUnit({ port, serial: attacker });
          unit.client.publish(
            target,
            payload,
            { qos: 1, retain },
            (error) => error || got.push(`${what}: PUBACK`),
          );
          await unit.closed;
        }
        const will = { topic: target, payload: Buffer.from(payload), qos: 1 as const, retain: true };
        await expect(connectUnit({ port, serial: attacker, options: { will } }), what).rejects.toMatchObject({
          code: 5,
        });
        tried += 3;
      }
    }
    const unit = await connectUnit({ port, serial: attacker });
    unit.client.on('message', (on) => got.push(`${attacker} received ${on}`));
    for (const owner of serials.filter((one) => one !== attacker)) {
      const filters = [
        ...channels.map((channel) => topic(owner, channel)),
        `counter/v1/${owner}/#`,
        `counter/v1/${owner}/+`,
      ];
      for (const filter of filters)
        await expect(unit.client.subscribeAsync(filter), filter).rejects.toThrow();
      tried += filters.length;
    }
    await unit.client.endAsync();
  }

  expect(got).toEqual([]);
  expect(tried).toBeGreaterThan(300);
  const written = 'select from crossing union all select from rejected_message';
  expect(await rows.query(written)).toEqual([]);
  expect(
    await rows.query('select from device_state where heartbeat is not null or last_activity_at is not null'),
  ).toEqual([]);
});

test('delivers the messages to a device to no other device', async () => {
  const { serials, port } = await generatedTopology();
  const received: string[] = [];
  const units = await Promise.all(
    serials.map(async (one) => {
      const unit = await connectUnit({ port, serial: one });
      unit.client.on('message', (on) => received.push(`${one} received ${on}`));
      await unit.client.subscribeAsync(gatewayChannels.map((channel) => topic(one, channel)));
      return { one, unit };
    }),
  );

  for (const { unit } of units) await unit.publish('heartbeat', payloadOf.heartbeat);

  await expect.poll(() => received.length).toBeGreaterThanOrEqual(serials.length);
  expect(received.toSorted()).toEqual(
    serials.map((one) => `${one} received ${topic(one, 'time')}`).toSorted(),
  );
});
