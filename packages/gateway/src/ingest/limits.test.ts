import { holdLock } from '@visitor-counter/test/held-lock';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, test } from 'vitest';
import { type Entry, rejected, stored } from '../../test/crossings.ts';
import { failOnce } from '../../test/fail-once.ts';
import { startOn, startTestGateway } from '../../test/test-gateway.ts';

const day = 24 * 60 * 60 * 1_000;

test('stores a crossing that is older than the limit as rejected, and acknowledges it', async () => {
  const gateway = await startTestGateway({}, { INGEST_MAX_AGE_DAYS: '' });
  const unit = await connectUnit({ port: gateway.mqttPort, serial: gateway.serial });
  const now = Date.now();

  await unit.crossings('j', 1, [
    [Date.UTC(2001, 0, 1), 1],
    [now - 401 * day, 1],
    [now - 399 * day, 1],
  ]);

  expect((await stored(gateway)).map((row) => row['sequence'])).toEqual([3]);
  expect(await rejected(gateway)).toMatchObject([{ reason: 'limit: more than 400 days old on arrival' }]);
});

/** Noon of the day before yesterday: no test reaches midnight from there. */
const noon = (Math.floor(Date.now() / day) - 2) * day + day / 2;

const entriesOn = (instant: number, count: number): Entry[] =>
  Array.from({ length: count }, (_, index) => [instant + index, 1]);

test('stores no more crossings of one day than the limit, at whichever gateway they arrive', async () => {
  const settings = { INGEST_CROSSINGS_PER_DAY: '5' };
  const gateway = await startTestGateway({}, settings);
  const { serial } = gateway;
  const unit = await connectUnit({ port: gateway.mqttPort, serial });

  await unit.crossings('j', 1, entriesOn(noon, 3));
  await unit.crossings('j', 1, entriesOn(noon, 3));
  await unit.crossings('j', 4, [...entriesOn(noon + 3, 2), [noon + day, 1]]);
  await gateway.close();
  const next = await startOn(gateway.url, {}, settings);
  const again = await connectUnit({ port: next.mqttPort, serial });
  await again.crossings('j', 1, entriesOn(noon, 3));
  await again.crossings('j', 4, [
    ...entriesOn(noon + 3, 2),
    [noon + day, 1],
    [noon + 9, 1],
    [noon + day, -1],
    [noon, 5],
  ]);

  expect((await stored(gateway)).map((row) => row['sequence'])).toEqual([1, 2, 3, 4, 5, 6, 8]);
  expect(await rejected(gateway)).toEqual([
    expect.objectContaining({ payload: `{"journal":"j","entries":[[9,[${noon},5]]]}` }),
    {
      serial,
      topic: `counter/v1/${serial}/crossings`,
      reason: 'limit: more than 5 crossings of one day',
      payload: `{"journal":"j","entries":[[7,[${noon + 9},1]]]}`,
    },
  ]);
});

test('stores no more new crossings in 30 days than the limit, and those of other devices', async () => {
  const gateway = await startTestGateway({}, { INGEST_CROSSINGS_PER_30_DAYS: '4' });
  const unit = await connectUnit({ port: gateway.mqttPort, serial: gateway.serial });
  const other = await connectUnit({ port: gateway.mqttPort, serial: gateway.other });

  for (let first = 1; first <= 6; first += 1)
    await unit.crossings('j', first, entriesOn(noon - first * day, 1));
  await unit.crossings('j2', 1, entriesOn(noon, 1));
  await other.crossings('k', 1, entriesOn(noon, 4));

  expect(await stored(gateway)).toHaveLength(8);
  const reasons = (await rejected(gateway)).map(({ reason }) => reason);
  expect(reasons).toEqual(Array.from({ length: 3 }, () => 'limit: more than 4 new crossings in 30 days'));
  /* A journal of which nothing is stored is not added. */
  expect(await gateway.seed.query('select name from journal order by name')).toEqual([
    { name: 'j' },
    { name: 'k' },
  ]);
});

test('writes counts of a device while it runs, so that a gateway that is killed does not forget them', async () => {
  const gateway = await startTestGateway();
  const unit = await connectUnit({ port: gateway.mqttPort, serial: gateway.serial });
  await unit.crossings('j', 1, entriesOn(noon, 1_000));
  await unit.crossings('j', 1_001, entriesOn(noon + 1_000, 1));

  expect(await gateway.seed.query(counts)).toEqual([{ crossed: 1_000, arrived: 1_000 }]);
});

const counts = 'select sum(crossed)::int as crossed, sum(arrived)::int as arrived from device_day';

test('writes counts of a device again if the database has refused them', async () => {
  const gateway = await startTestGateway();
  const unit = await connectUnit({ port: gateway.mqttPort, serial: gateway.serial });
  await unit.crossings('j', 1, entriesOn(noon, 1_000));
  await gateway.seed.query(failOnce('trigger fail_once before insert on device_day for each statement'));

  await unit.crossings('j', 1_001, entriesOn(noon + 1_000, 1));

  expect(await gateway.seed.query(counts)).toEqual([{ crossed: 1_000, arrived: 1_000 }]);
});

test('stores no more crossings than the limit although its connection ends while it reads the counts of a device', async () => {
  const settings = { INGEST_CROSSINGS_PER_DAY: '5' };
  const gateway = await startTestGateway({}, settings);
  const { serial, url, seed } = gateway;
  const unit = await connectUnit({ port: gateway.mqttPort, serial });
  await unit.crossings('j', 1, entriesOn(noon, 5));
  await gateway.close();
  const next = await startOn(url, {}, settings);
  const again = await connectUnit({ port: next.mqttPort, serial });

  const lock = await holdLock(url, 'lock table device_day in access exclusive mode');
  const sent = again.crossings('j', 6, entriesOn(noon + 5, 1));
  const ended = () =>
    seed.query(
      `select pg_terminate_backend(pid) from pg_locks
       where relation = 'device_day'::regclass and not granted
         and database = (select oid from pg_database where datname = current_database())`,
    );
  await expect.poll(ended).toHaveLength(1);
  await lock.release();
  await sent;

  expect(await stored(gateway)).toHaveLength(5);
  expect(await rejected(gateway)).toMatchObject([{ reason: 'limit: more than 5 crossings of one day' }]);
});

test('stores a backlog of 30 days of a very busy door', async () => {
  const gateway = await startTestGateway();
  const unit = await connectUnit({ port: gateway.mqttPort, serial: gateway.serial });
  const batches = Array.from({ length: 300 }, (_, index) =>
    unit.crossings(
      'j',
      index * 1_000 + 1,
      entriesOn(Math.floor(noon / day) * day - Math.floor(index / 10) * day + (index % 10) * 1_000, 1_000),
    ),
  );
  await Promise.all(batches);

  const [count] = await gateway.seed.query('select count(*)::int as n from crossing');
  expect(count).toEqual({ n: 300_000 });
  expect(await rejected(gateway)).toEqual([]);
});

test('assigns ids to no more journals of a device than the limits, and uses no ids for further ones', async () => {
  const gateway = await startTestGateway({}, { INGEST_JOURNALS_PER_DAY: '3', INGEST_JOURNALS: '5' });
  const { seed, deviceId, serial } = gateway;
  const unit = await connectUnit({ port: gateway.mqttPort, serial });
  const send = async (names: readonly string[]) => {
    for (const name of names) await unit.crossings(name, 1, entriesOn(noon, 1));
  };
  await send(['a', 'b', 'c', 'd', 'e', 'a']);
  await seed.query("update journal set created_at = now() - interval '25 hours'");
  await send(['e', 'f', 'g', 'h', 'b']);

  expect(await seed.query('select name from journal where device_id = $1 order by id', [deviceId])).toEqual(
    ['a', 'b', 'c', 'e', 'f'].map((name) => ({ name })),
  );
  expect((await rejected(gateway)).map(({ reason }) => reason)).toEqual([
    'limit: more than 3 new journals in 24 hours',
    'limit: more than 3 new journals in 24 hours',
    'limit: more than 5 journals',
    'limit: more than 5 journals',
  ]);
  expect(await seed.query('select max(id) - count(*) as unused from journal')).toEqual([{ unused: '0' }]);
});
