import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, test } from 'vitest';
import { asStored, at, entries, rejected, stored } from '../../test/crossings.ts';
import { sharedGateway } from '../../test/test-gateway.ts';

const testDevices = sharedGateway();

test('stores the valid entries of a message, and the others as rejected with their reasons', async () => {
  const gateway = await testDevices();
  const { serial } = gateway;
  const unit = await connectUnit({ port: gateway.mqttPort, serial });

  await unit.crossings('j1', 7, [[at, 1], [4_000_000_000_000, 1], [at + 1, -1], { x: '\u0000' }, [1, 1]]);

  expect((await stored(gateway)).map((row) => row['sequence'])).toEqual([7, 9]);
  expect(await rejected(gateway)).toMatchObject([
    { reason: expect.stringMatching(/^entry: /), payload: expect.stringContaining('[10,') },
    { reason: expect.stringMatching(/^instant: before/), payload: '{"journal":"j1","entries":[[11,[1,1]]]}' },
    {
      reason: 'instant: more than 24 hours in the future',
      payload: '{"journal":"j1","entries":[[8,[4000000000000,1]]]}',
    },
  ]);
});

test('acknowledges a message that cannot be decoded, and stores it as rejected, byte for byte, once', async () => {
  const gateway = await testDevices();
  const { serial } = gateway;
  const unit = await connectUnit({ port: gateway.mqttPort, serial });
  const payloads = [
    Buffer.alloc(0),
    Buffer.from('['.repeat(30_000)),
    Buffer.from('{"journal":'),
    Buffer.from('{"journal":"j","first":9223372036854775808,"crossings":[[1,1]]}'),
    Buffer.from([0xff, 0x00, 0xfe]),
  ];

  for (const payload of [...payloads, ...payloads]) await unit.publish('crossings', payload);
  await unit.crossings('j1', 1, entries(1, 1));

  const kept = await gateway.seed.query(
    'select payload, reason from rejected_message where device_id = $1 order by payload',
    [gateway.deviceId],
  );
  expect(kept).toEqual(
    payloads.map((payload) => ({ payload, reason: expect.stringMatching(/^malformed: /) })),
  );
  expect(await stored(gateway)).toHaveLength(1);
});

test('stores the crossings of a device without a store as rejected', async () => {
  const gateway = await testDevices();
  const { serial } = gateway;
  await gateway.seed.query('delete from device_assignment where device_id = $1', [gateway.deviceId]);
  const unit = await connectUnit({ port: gateway.mqttPort, serial });

  await unit.crossings('j1', 1, [[at, 1]]);

  expect(await rejected(gateway)).toMatchObject([
    { reason: 'device: belongs to no store', payload: `{"journal":"j1","entries":[[1,[${at},1]]]}` },
  ]);

  await gateway.seed.move(gateway.deviceId, gateway.storeId, at);
  await unit.crossings('j1', 2, [[at, 1]]);
  expect(await stored(gateway)).toEqual(asStored(serial, 'j1', 2, [[at, 1]]));
});

test('a message that the database refuses does not delay those of other devices', async () => {
  const gateway = await testDevices();
  const { serial, other } = gateway;
  await gateway.seed.query(refuseSequence5013);
  const refused = await connectUnit({ port: gateway.mqttPort, serial });
  const healthy = await connectUnit({ port: gateway.mqttPort, serial: other });
  const sent = entries(100, 200);

  await Promise.all([
    ...sent.map((entry, index) => healthy.crossings('j1', 100 + index, [entry])),
    refused.crossings('j1', 5_012, entries(5_012, 3)),
    refused.crossings('j1', 1, entries(1, 2)),
  ]);

  expect(await stored(gateway)).toEqual([
    ...asStored(serial, 'j1', 1, entries(1, 2)),
    ...asStored(other, 'j1', 100, sent),
  ]);
  expect(await rejected(gateway)).toMatchObject([
    {
      serial,
      reason: 'database: not this one',
      payload: JSON.stringify({
        journal: 'j1',
        entries: entries(5_012, 3).map((entry, i) => [5_012 + i, entry]),
      }),
    },
  ]);
});

const refuseSequence5013 = `
  create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'not this one' using errcode = '22003'; end $$;
  create trigger refuse before insert on crossing for each row when (new.sequence = 5013) execute function refuse()`;

test('acknowledges no further rejected message once 10,000 are stored', async () => {
  const gateway = await testDevices();
  const { serial, other } = gateway;
  await gateway.seed.query(
    `insert into rejected_message (device_id, topic, reason, payload, digest)
     select $1, 't', 'r', '', int4send(n) from generate_series(1, 9999) n`,
    [gateway.deviceId],
  );
  const full = await connectUnit({ port: gateway.mqttPort, serial });
  const neighbour = await connectUnit({ port: gateway.mqttPort, serial: other });

  await full.publish('crossings', 'the last one');
  await expect(full.publish('crossings', 'one too many')).rejects.toThrow('the connection ended');
  await neighbour.publish('crossings', 'of another device');

  const again = await connectUnit({ port: gateway.mqttPort, serial });
  await again.publish('crossings', 'the last one');
  await again.crossings('j1', 1, entries(1, 1));
  const counted = await gateway.seed.query(
    'select count(*)::int as n from rejected_message where device_id in ($1, $2) group by device_id order by 1',
    [gateway.deviceId, gateway.otherId],
  );
  expect(counted).toEqual([{ n: 1 }, { n: 10_000 }]);
});
