import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, test } from 'vitest';
import { asStored, at, entries, rejected, stored } from '../testing/crossings.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

test('stores the good entries of a message and keeps the bad ones with their reasons', async () => {
  const gateway = await startTestGateway({ serials: ['CU-1'] });
  const unit = await connectUnit({ port: gateway.mqttPort, serial: 'CU-1' });

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

test('acknowledges what cannot be read at all, and keeps it byte for byte, once', async () => {
  const gateway = await startTestGateway({ serials: ['CU-1'] });
  const unit = await connectUnit({ port: gateway.mqttPort, serial: 'CU-1' });
  const payloads = [
    Buffer.alloc(0),
    Buffer.from('['.repeat(30_000)),
    Buffer.from('{"journal":'),
    Buffer.from('{"journal":"j","first":9223372036854775808,"crossings":[[1,1]]}'),
    Buffer.from([0xff, 0x00, 0xfe]),
  ];

  for (const payload of [...payloads, ...payloads]) await unit.publish('crossings', payload);
  await unit.crossings('j1', 1, entries(1, 1));

  const kept = await gateway.seed.query('select payload, reason from rejected_message order by payload');
  expect(kept).toEqual(
    payloads.map((payload) => ({ payload, reason: expect.stringMatching(/^malformed: /) })),
  );
  expect(await stored(gateway)).toHaveLength(1);
});

test('keeps the crossings of a device that belongs to no store', async () => {
  const gateway = await startTestGateway({ serials: ['CU-1'] });
  await gateway.seed.query('delete from device_assignment');
  const unit = await connectUnit({ port: gateway.mqttPort, serial: 'CU-1' });

  await unit.crossings('j1', 1, [[at, 1]]);

  expect(await rejected(gateway)).toMatchObject([
    { reason: 'device: belongs to no store', payload: `{"journal":"j1","entries":[[1,[${at},1]]]}` },
  ]);
});

test('does not let a message that the database refuses hold up those of others', async () => {
  const gateway = await startTestGateway({ serials: ['CU-1', 'CU-2'] });
  await gateway.seed.query(refuseSequence13);
  const poisoned = await connectUnit({ port: gateway.mqttPort, serial: 'CU-1' });
  const healthy = await connectUnit({ port: gateway.mqttPort, serial: 'CU-2' });
  const sent = entries(100, 200);

  await Promise.all([
    ...sent.map((entry, index) => healthy.crossings('j1', 100 + index, [entry])),
    poisoned.crossings('j1', 12, entries(12, 3)),
    poisoned.crossings('j1', 1, entries(1, 2)),
  ]);

  expect(await stored(gateway)).toEqual([
    ...asStored('CU-1', 'j1', 1, entries(1, 2)),
    ...asStored('CU-2', 'j1', 100, sent),
  ]);
  expect(await rejected(gateway)).toMatchObject([
    {
      serial: 'CU-1',
      reason: 'database: not this one',
      payload: JSON.stringify({ journal: 'j1', entries: entries(12, 3).map((entry, i) => [12 + i, entry]) }),
    },
  ]);
});

const refuseSequence13 = `
  create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'not this one' using errcode = '22003'; end $$;
  create trigger refuse before insert on crossing for each row when (new.sequence = 13) execute function refuse()`;

test('acknowledges nothing more that would have to be kept once 10,000 messages are', async () => {
  const gateway = await startTestGateway({ serials: ['CU-1', 'CU-2'] });
  await gateway.seed.query(
    `insert into rejected_message (device_id, topic, reason, payload, digest)
     select $1, 't', 'r', '', int4send(n) from generate_series(1, 9999) n`,
    [gateway.devices['CU-1']],
  );
  const full = await connectUnit({ port: gateway.mqttPort, serial: 'CU-1' });
  const other = await connectUnit({ port: gateway.mqttPort, serial: 'CU-2' });

  await full.publish('crossings', 'the last one');
  await expect(full.publish('crossings', 'one too many')).rejects.toThrow('the connection ended');
  await other.publish('crossings', 'of another device');

  const again = await connectUnit({ port: gateway.mqttPort, serial: 'CU-1' });
  await again.publish('crossings', 'the last one');
  await again.crossings('j1', 1, entries(1, 1));
  expect(
    await gateway.seed.query(
      'select count(*)::int as n from rejected_message group by device_id order by 1 desc',
    ),
  ).toEqual([{ n: 10_000 }, { n: 1 }]);
});
