import { connectUnit, type UnitClient } from '@visitor-counter/test/unit-client';
import { expect, test } from 'vitest';
import { at, entries, rejected } from '../../test/crossings.ts';
import { type SeededDevices, startTestGateway } from '../../test/test-gateway.ts';

const quick = { recoveryInterval: 50, sessionInterval: 50, stateInterval: 50 };

/** Restores the state of a database dumped when a journal had `last` crossings, or did not exist (0). */
async function loseAfter({ seed, deviceId }: SeededDevices, journal: string, last: number): Promise<void> {
  await seed.query(
    `with lost as (
       delete from crossing using journal
       where journal.id = journal_id and journal.device_id = $1 and name = $2 and sequence > $3
     ), behind as (
       update journal set accounted = accounted * int8multirange(int8range(1, $3::bigint + 1))
       where journal.device_id = $1 and name = $2 and $3 > 0
     )
     delete from journal where device_id = $1 and name = $2 and $3 = 0`,
    [deviceId, journal, last],
  );
}

interface Command {
  readonly id: number;
  readonly command: string;
  readonly journal: string;
  readonly from: number;
}

/** A unit that has some crossings in its journals, and receives commands. */
async function unitOf(port: number, serial: string): Promise<UnitClient & { commands: Command[] }> {
  const unit = await connectUnit({ port, serial });
  const commands: Command[] = [];
  unit.client.on('message', (_topic, payload) => {
    const command: Command = JSON.parse(payload.toString());
    if (commands.every(({ id }) => id !== command.id)) commands.push(command);
  });
  await unit.client.subscribeAsync(`counter/v1/${serial}/commands`);
  return { ...unit, commands };
}

async function gatewayAndUnit() {
  const gateway = await startTestGateway(quick);
  return { gateway, unit: await unitOf(gateway.mqttPort, gateway.serial) };
}

const beat = (unit: UnitClient, heartbeat: object) =>
  unit.publish('heartbeat', JSON.stringify({ at: Date.now(), ...heartbeat }));

const sequences = async ({ seed, deviceId }: SeededDevices, journal: string) => {
  const rows = await seed.query(
    `select sequence::int from crossing join journal on journal.id = journal_id
     where journal.device_id = $1 and name = $2 order by 1`,
    [deviceId, journal],
  );
  return rows.map(({ sequence }) => Number(sequence));
};
const rangesIn = async (column: 'missing' | 'lost', { seed, deviceId }: SeededDevices) => {
  const rows = await seed.query(
    `select lower(part)::int as first, (upper(part) - 1)::int as last
     from journal cross join unnest(${column}) part where device_id = $1 order by id, 1`,
    [deviceId],
  );
  return rows.map(({ first, last }) => [first, last]);
};
const missing = (seeded: SeededDevices) => rangesIn('missing', seeded);
const lost = (seeded: SeededDevices) => rangesIn('lost', seeded);
const accounted = async ({ seed, deviceId }: SeededDevices) => {
  const rows = await seed.query('select accounted::text from journal where device_id = $1', [deviceId]);
  return rows.map((row) => row['accounted']);
};
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, n) => first + n);

test('asks a unit to continue from the first crossing that a restored database lacks', async () => {
  const { gateway, unit } = await gatewayAndUnit();
  await unit.crossings('j1', 1, entries(1, 60));
  await beat(unit, { journal: 'j1', recorded: 60, acknowledged: 60 });
  await expect.poll(() => accounted(gateway)).toEqual(['{[1,61)}']);

  await loseAfter(gateway, 'j1', 20);
  await unit.crossings('j1', 61, entries(61, 5));
  await beat(unit, { journal: 'j1', recorded: 65, acknowledged: 65 });

  await expect.poll(() => unit.commands).toMatchObject([{ command: 'continue', journal: 'j1', from: 21 }]);
  expect(await missing(gateway)).toEqual([[21, 60]]);
  const commands = [{ id: unit.commands[0]?.id, state: 'done' }];
  await beat(unit, { journal: 'j1', recorded: 65, acknowledged: 20, commands });
  await unit.crossings('j1', 21, entries(21, 45));
  await beat(unit, { journal: 'j1', recorded: 65, acknowledged: 65, commands });

  await expect.poll(() => missing(gateway)).toEqual([]);
  expect(await sequences(gateway, 'j1')).toEqual(upTo(65));
  expect(unit.commands).toHaveLength(1);
});

test('records crossings as lost that the unit declares lost, and those of a journal that it no longer has', async () => {
  const { gateway, unit } = await gatewayAndUnit();
  await beat(unit, { journal: 'new', recorded: 30, acknowledged: 30 });

  await expect.poll(() => unit.commands).toMatchObject([{ from: 1 }]);
  const done = { id: unit.commands[0]?.id, state: 'done' };
  await beat(unit, {
    journal: 'new',
    recorded: 30,
    acknowledged: 10,
    lost: [['new', 1, 10]],
    commands: [done],
  });
  await unit.crossings('new', 11, entries(11, 20));
  await expect.poll(() => missing(gateway)).toEqual([]);
  expect(await lost(gateway)).toEqual([[1, 10]]);
  expect(await sequences(gateway, 'new')).toEqual(upTo(30, 11));

  await loseAfter(gateway, 'new', 20);
  await beat(unit, { journal: 'new', recorded: 30, acknowledged: 30, commands: [done] });
  await expect.poll(() => missing(gateway)).toEqual([[21, 30]]);
  await gateway.seed.query(`update device_command set created_at = now() - interval '10 minutes'`);
  await expect.poll(() => unit.commands).toHaveLength(2);
  await beat(unit, {
    journal: 'other',
    commands: [{ id: unit.commands[1]?.id, state: 'failed', problem: 'no' }],
  });
  await expect.poll(() => missing(gateway)).toEqual([]);
  expect(await lost(gateway)).toEqual([
    [1, 10],
    [21, 30],
  ]);
});

test('repeats a request after a pause while crossings are missing', async () => {
  const { gateway, unit } = await gatewayAndUnit();
  const said = { journal: 'j', recorded: 3, acknowledged: 3 };
  await beat(unit, said);
  await expect.poll(() => unit.commands).toHaveLength(1);
  const commands = [{ id: unit.commands[0]?.id, state: 'done' }];
  await beat(unit, { ...said, commands });
  await beat(unit, { journal: 'other', recorded: 2, acknowledged: 2, commands });

  /* Another journal of the unit does not wait. */
  await expect.poll(() => unit.commands).toMatchObject([{ journal: 'j' }, { journal: 'other' }]);
  const answered = [...commands, { id: unit.commands[1]?.id, state: 'done' }];
  await beat(unit, { ...said, commands: answered });
  const ended = () => gateway.seed.query('select from device_command where finished_at is not null');
  await expect.poll(ended).toHaveLength(2);
  await gateway.seed.query(
    `update device_command set created_at = now() - interval '1 minute' where command->>'journal' = 'j'`,
  );
  await expect.poll(() => unit.commands).toHaveLength(3);
  expect(unit.commands[2]).toMatchObject({ journal: 'j', from: 1 });
});

test('bounds the requests to a unit that reports ever other journals and delivers nothing', async () => {
  const { gateway, unit } = await gatewayAndUnit();
  await gateway.seed.query(
    `insert into device_command (id, device_id, command, created_at, expires_at, state, finished_at)
     select n, $1, jsonb_build_object('command', 'continue', 'journal', 'j' || n, 'from', 1),
       now() - interval '50 minutes', now(), 'done', now() from generate_series(1, 100) n`,
    [gateway.deviceId],
  );
  await beat(unit, { journal: 'j', recorded: 3, acknowledged: 3 });
  await expect.poll(() => missing(gateway)).toEqual([[1, 3]]);
  const other = await unitOf(gateway.mqttPort, gateway.other);
  await beat(other, { journal: 'j', recorded: 3, acknowledged: 3 });
  await expect.poll(() => other.commands).toHaveLength(1);
  expect(unit.commands).toEqual([]);

  await gateway.seed.query(`update device_command set created_at = created_at - interval '10 minutes'`);
  await expect.poll(() => unit.commands).toMatchObject([{ journal: 'j', from: 1 }]);
});

test('does not repeat a request while the unit says that it still delivers what is missing', async () => {
  const { gateway, unit } = await gatewayAndUnit();
  const said = { journal: 'j', recorded: 30, acknowledged: 30 };
  await beat(unit, said);
  await expect.poll(() => unit.commands).toMatchObject([{ journal: 'j', from: 1 }]);
  const commands = [{ id: unit.commands[0]?.id, state: 'done' }];
  await beat(unit, { ...said, acknowledged: 0, commands });
  const ended = () => gateway.seed.query('select from device_command where finished_at is not null');
  await expect.poll(ended).toHaveLength(1);
  await gateway.seed.query(`update device_command set created_at = now() - interval '1 minute'`);

  const volatile = { journal: 'v', recorded: 2, acknowledged: 2 };
  await beat(unit, { ...said, acknowledged: 0, volatile, commands });

  await expect.poll(() => unit.commands).toMatchObject([{ journal: 'j' }, { journal: 'v' }]);
});

test('orders one new journal from a unit whose crossings conflict with stored ones, and another one if they still do later', async () => {
  const { gateway, unit } = await gatewayAndUnit();
  await unit.crossings('j', 1, entries(1, 5));
  await unit.crossings('j', 4, [
    [at + 77, 1],
    [at + 78, 1],
    [at + 79, 1],
  ]);

  await expect.poll(() => unit.commands).toMatchObject([{ command: 'begin-journal', journal: 'j' }]);
  expect(await rejected(gateway)).toMatchObject([{ reason: expect.stringMatching(/^conflict/) }]);
  expect(await sequences(gateway, 'j')).toEqual(upTo(6));
  await unit.crossings('j', 7, [[at + 80, 1]]);
  await beat(unit, {
    journal: 'k',
    recorded: 0,
    acknowledged: 0,
    commands: [{ id: unit.commands[0]?.id, state: 'done' }],
  });
  await gateway.seed.query(`update journal set ordered_at = now() - interval '10 minutes'`);
  await unit.crossings('j', 5, [[at + 81, 1]]);
  await expect.poll(() => unit.commands).toHaveLength(2);
});

test('keeps as missing what a unit had recorded in its old journal, until it is delivered', async () => {
  const { gateway, unit } = await gatewayAndUnit();
  await unit.crossings('old', 1, entries(1, 10));
  await beat(unit, { journal: 'old', recorded: 30, acknowledged: 10 });
  await expect.poll(() => accounted(gateway)).toEqual(['{[1,11)}']);
  expect(await missing(gateway)).toEqual([]);

  await beat(unit, { journal: 'new', recorded: 0, acknowledged: 0 });

  await expect.poll(() => missing(gateway)).toEqual([[11, 30]]);
  await unit.crossings('old', 11, entries(11, 20));
  await expect.poll(() => missing(gateway)).toEqual([]);
  /* The unit does not have the old journal. */
  expect(unit.commands).toEqual([]);
});

test('keeps as missing what a unit had recorded at the end of a journal that is shorter now, until the unit refuses it', async () => {
  const { gateway, unit } = await gatewayAndUnit();
  await unit.crossings('old', 1, entries(1, 10));
  await beat(unit, { journal: 'old', recorded: 30, acknowledged: 10 });
  await expect.poll(() => accounted(gateway)).toEqual(['{[1,11)}']);

  const volatile = { journal: 'old', recorded: 20, acknowledged: 10 };
  await beat(unit, { journal: 'new', recorded: 0, acknowledged: 0, volatile });

  await expect.poll(() => missing(gateway)).toEqual([[21, 30]]);
  await expect.poll(() => unit.commands).toMatchObject([{ command: 'continue', journal: 'old', from: 21 }]);
  const commands = [{ id: unit.commands[0]?.id, state: 'failed', problem: 'no' }];
  await unit.crossings('old', 11, entries(11, 10));
  await beat(unit, { journal: 'new', volatile: { ...volatile, acknowledged: 20 }, commands });
  await expect.poll(() => lost(gateway)).toEqual([[21, 30]]);
  expect(await missing(gateway)).toEqual([]);
});

test('asks for crossings that are found to be missing when the unit refuses others', async () => {
  const { gateway, unit } = await gatewayAndUnit();
  await unit.crossings('j', 1, entries(1, 20));
  await beat(unit, { journal: 'j', recorded: 30, acknowledged: 20 });
  await expect.poll(() => accounted(gateway)).toEqual(['{[1,21)}']);
  await beat(unit, { journal: 'j', recorded: 20, acknowledged: 20 });
  await expect.poll(() => unit.commands).toMatchObject([{ journal: 'j', from: 21 }]);
  const refused = { id: unit.commands[0]?.id, state: 'failed', problem: 'no' };

  await beat(unit, { journal: 'j', recorded: 40, acknowledged: 40, commands: [refused] });

  await expect.poll(() => missing(gateway)).toEqual([[31, 40]]);
  await gateway.seed.query(`update device_command set created_at = now() - interval '1 minute'`);
  await expect.poll(() => unit.commands).toMatchObject([{ from: 21 }, { journal: 'j', from: 31 }]);
  expect(await lost(gateway)).toEqual([[21, 30]]);
});

test('finds missing crossings of other devices while the journals of some cannot be compared in time', async () => {
  const gateway = await startTestGateway({ ...quick, statementTimeout: 500 });
  const { seed, deviceId, mqttPort } = gateway;
  await seed.query(`
    create function never() returns trigger language plpgsql as $$ begin perform pg_sleep(3600); return new; end $$;
    create trigger never before update on journal for each row when (new.device_id = ${deviceId})
      execute function never()`);
  const said = { journal: 'j', recorded: 3, acknowledged: 3 };
  await beat(await unitOf(mqttPort, gateway.serial), said);
  const unit = await unitOf(mqttPort, gateway.other);
  await beat(unit, said);

  await expect
    .poll(() => unit.commands, { timeout: 60_000 })
    .toMatchObject([{ command: 'continue', journal: 'j', from: 1 }]);
  expect(await missing(gateway)).toEqual([]);
  await seed.query('drop trigger never on journal');
  await expect.poll(() => missing(gateway)).toEqual([[1, 3]]);
});
