import { once } from 'node:events';
import { connect } from 'node:net';
import { scrape } from '@visitor-counter/test/scrape';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { topic } from '@visitor-counter/wire/topics';
import type { MqttClient } from 'mqtt';
import { expect, test } from 'vitest';
import { at, entries } from '../../test/crossings.ts';
import { startTestGateway } from '../../test/test-gateway.ts';

test('counts messages, their results, logins and refused clients', async () => {
  const { mqttPort: port, metricsPort, serial, other } = await startTestGateway();
  const unit = await connectUnit({ port, serial });
  await unit.crossings('j1', 1, entries(1, 5));
  await unit.crossings('j1', 4, entries(4, 4));
  await unit.crossings('j1', 1, [[at, -1]]);
  await unit.crossings('j1', 9, [[4_000_000_000_000, 1]]);
  await unit.publish('crossings', 'no crossings');
  await unit.publish('heartbeat', '{"at":1,"recorded":30,"acknowledged":8}');
  /* A field that a heartbeat does not contain is unknown, not 0. */
  await unit.publish('heartbeat', '{"at":2,"recorded":30}');
  await unit.publish('heartbeat', '{"at":3}');
  await expect(connectUnit({ port, serial: other, secret: 'wrong' })).rejects.toMatchObject({ code: 5 });
  const intruder = await connectUnit({ port, serial: other });
  intruder.client.publish(`counter/v1/${serial}/crossings`, 'x', { qos: 1 });
  await intruder.closed;

  await refuseEachKind(port, other);
  const expected = {
    'messages_total{channel="crossings"}': 5,
    'messages_total{channel="heartbeat"}': 3,
    'crossings_total{state="received"}': 10,
    'crossings_total{state="stored"}': 7,
    'crossings_total{state="duplicate"}': 2,
    'crossings_total{state="conflict"}': 1,
    'rejected_total{reason="conflict"}': 1,
    'rejected_total{reason="instant"}': 1,
    'rejected_total{reason="malformed"}': 1,
    commit_seconds_count: 5,
    commit_crossings_sum: 10,
    pending_crossings_sum: 22,
    logins_total: 8,
    'logins_refused_total{reason="not authorized"}': 1,
    'logins_refused_total{reason="will"}': 1,
    'packets_refused_total{reason="too large"}': 2,
    'packets_refused_total{reason="topic"}': 2,
    'packets_refused_total{reason="QoS 2"}': 1,
    'packets_refused_total{reason="retained"}': 1,
    'packets_refused_total{reason="subscription"}': 1,
    'packets_refused_total{reason="will"}': 1,
    'packets_refused_total{reason="malformed"}': 1,
    queue_messages: 0,
    reading: 1,
  };
  /* The end of a connection is counted after its client has seen it. */
  const shown = async () => {
    const series = await scrape(metricsPort);
    return Object.fromEntries(
      Object.keys(expected).map((name) => [name, series.get(`visitor_counter_${name}`)]),
    );
  };
  await expect.poll(shown).toEqual(expected);
  expect((await scrape(metricsPort)).has('process_resident_memory_bytes')).toBe(true);
});

/** One violation of each kind, and one oversized packet before a login. */
async function refuseEachKind(port: number, serial: string): Promise<void> {
  const crossings = topic(serial, 'crossings');
  const beyond: readonly ((client: MqttClient) => unknown)[] = [
    (client) => client.publish(crossings, 'x', { qos: 2 }),
    (client) => client.publish(crossings, 'x', { qos: 1, retain: true }),
    (client) => client.publish(crossings, Buffer.alloc(70_000), { qos: 1 }),
    (client) => client.stream.write(publishTo('counter/v1/+/crossings')),
    (client) => client.stream.write(Buffer.from([0x00, 0x00])),
  ];
  for (const act of beyond) {
    const unit = await connectUnit({ port, serial });
    act(unit.client);
    await unit.closed;
  }
  const will = { topic: crossings, payload: Buffer.from('x'), qos: 1 as const, retain: false };
  await expect(connectUnit({ port, serial, options: { will } })).rejects.toMatchObject({ code: 5 });
  const unit = await connectUnit({ port, serial });
  await expect(unit.client.subscribeAsync('#')).rejects.toThrow();
  const unknown = connect(port, '127.0.0.1').on('error', () => {});
  unknown.write(Buffer.from([0x10, 0x80, 0x90, 0xad, 0x5f]));
  await once(unknown, 'close');
}

function publishTo(name: string): Buffer {
  return Buffer.concat([Buffer.from([0x30, 2 + name.length, 0, name.length]), Buffer.from(name)]);
}
