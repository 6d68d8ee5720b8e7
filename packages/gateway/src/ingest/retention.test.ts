import { rebuildProjection } from '@visitor-counter/database/projection/projection';
import { runRound } from '@visitor-counter/database/projection/run-round';
import { beginPasses, removeDue, startRemover } from '@visitor-counter/database/retention/remover';
import { requireCrossings } from '@visitor-counter/database/retention/retention';
import { openClient, planByKeys } from '@visitor-counter/database/sql/open-client';
import { voidCrossings } from '@visitor-counter/database/voids/void-crossings';
import { kim } from '@visitor-counter/test/author';
import { projected } from '@visitor-counter/test/projected';
import { retained } from '@visitor-counter/test/retained';
import { untilTransactionsEnd } from '@visitor-counter/test/until-transactions-end';
import { expect, onTestFinished, test } from 'vitest';
import { failOnce } from '../../test/fail-once.ts';
import { begin, type Message, minute, storingCompany } from '../../test/storing-company.ts';

const month = 31 * 24 * 60 * minute;
/** The crossings of `begin` and the next hours are older than a month then. */
const later = Date.parse('2026-11-26T12:00:00Z');
const kept = Date.parse('2026-10-26T00:00:00Z');

function batch(device: number, first: number, count: number, at = begin): Message {
  const crossings = Array.from({ length: count }, (_, index) => ({
    sequence: first + index,
    at: at + (first + index) * minute,
    direction: (first + index) % 3 === 0 ? (-1 as const) : (1 as const),
  }));
  return { device, journal: `j-${device}`, crossings };
}

async function withRetention() {
  const company = await storingCompany();
  const [device = 0] = company.devices;
  await company.rows.query('update company set retention_months = 1');
  const counted = async () => {
    const [sum] = await company.rows.query(
      'select sum(entries)::integer as entries, sum(exits)::integer as exits from device_quarter',
    );
    return sum;
  };
  const stored = async () => (await company.rows.query('select from crossing')).length;
  const ranges = () =>
    company.rows.query('select first::integer, last::integer from journal_removed order by 1');
  return { ...company, device, counted, stored, ranges };
}

test('acknowledges removed crossings that are sent again, and counts nothing', async () => {
  const { url, device, committers, counted, stored, ranges, rows } = await withRetention();
  const [{ store }] = committers;
  await store([batch(device, 1, 300)]);
  expect(await retained(url, later)).toBe(300);
  const before = await counted();
  expect(before).toEqual({ entries: 200, exits: 100 });
  expect(await ranges()).toEqual([{ first: 1, last: 300 }]);

  for (const [first, count] of [
    [1, 300],
    [50, 1],
    [299, 2],
    [300, 1],
    [120, 100],
  ] as const)
    expect(await store([batch(device, first, count)])).toEqual(['stored']);
  /* One of each in the same message. */
  expect(await store([batch(device, 290, 20)])).toEqual(['stored']);
  expect(await stored()).toBe(9);
  expect(await retained(url, later)).toBe(0);
  expect(await counted()).toEqual({ entries: 206, exits: 103 });
  expect(await rows.query('select from rejected_message')).toEqual([]);
});

test('removes nothing that is too young by the synchronised clocks of units in use', async () => {
  const { url, device, devices, committers, stored, rows } = await withRetention();
  const [{ store }] = committers;
  await store([batch(device, 1, 10)]);
  const report = async (at: number, of = device, clock = 'synced') => {
    const heartbeat = JSON.stringify({ at, clock });
    await rows.query(
      `insert into device_state (device_id, heartbeat) values ($1, $2)
       on conflict (device_id) do update set heartbeat = excluded.heartbeat`,
      [of, heartbeat],
    );
  };
  await report(begin);
  await report(later - minute, devices[1]);
  await rows.query('update device set secret_revoked_at = now() where id = $1', [devices[1]]);
  await report(later - minute, devices[2]);
  await rows.query('update device set retired_at = now() where id = $1', [devices[2]]);
  await report(later - minute, devices[3], 'unsynced');
  expect(await retained(url, later)).toBe(0);
  expect(await stored()).toBe(10);
  await report(later - minute);
  expect(await retained(url, later)).toBe(10);
});

test('counts a crossing that arrives for the first time after its day was removed, once', async () => {
  const { url, device, committers, counted, stored, ranges } = await withRetention();
  const [{ store }] = committers;
  await store([batch(device, 1, 100), batch(device, 201, 100)]);
  expect(await retained(url, later)).toBe(200);
  expect(await ranges()).toEqual([
    { first: 1, last: 100 },
    { first: 201, last: 300 },
  ]);

  await store([batch(device, 101, 100)]);
  await store([batch(device, 101, 100)]);
  expect(await stored()).toBe(100);
  await retained(url, later);
  expect(await counted()).toEqual({ entries: 200, exits: 100 });
  const day = 24 * 60 * minute;
  expect(await retained(url, later + day)).toBe(0);
  expect(await retained(url, later + 2 * day)).toBe(100);
  expect(await ranges()).toEqual([{ first: 1, last: 300 }]);
  expect(await store([batch(device, 1, 300)])).toEqual(['stored']);
  await retained(url, later + 2 * day);
  expect(await counted()).toEqual({ entries: 200, exits: 100 });
  expect(await stored()).toBe(0);
});

test('acknowledges what the latest of several passes has removed, and refuses changes before it', async () => {
  const { url, device, committers, stored, rows, database } = await withRetention();
  const [{ store }] = committers;
  const ofNextDay = batch(device, 1, 10, kept);
  await store([ofNextDay]);
  expect(await retained(url, later)).toBe(0);
  expect(await retained(url, later + 24 * 60 * minute)).toBe(10);

  expect(await store([ofNextDay])).toEqual(['stored']);
  expect(await stored()).toBe(0);
  expect(await rows.query('select from rejected_message')).toEqual([]);
  const range = { from: kept, until: kept + 60 * minute };
  const voiding = voidCrossings(database.kysely, { deviceId: device, ...range, reason: 'test', author: kim });
  await expect(voiding).rejects.toThrow('were removed');
});

test('removes more crossings of one hour than a batch has', async () => {
  const { url, device, committers, stored } = await withRetention();
  const crossings = Array.from({ length: 2_500 }, (_, index) => ({
    sequence: index + 1,
    at: begin + index,
    direction: 1 as const,
  }));
  await committers[0].store([{ device, journal: 'j', crossings }]);

  expect(await retained(url, later)).toBe(2_500);
  expect(await stored()).toBe(0);
});

test('continues a pass that was interrupted', async () => {
  const { url, device, committers, stored, rows } = await withRetention();
  await retained(url, later);
  await committers[0].store([batch(device, 1, 1), batch(device, 2, 1, begin + 300 * minute)]);
  await projected(url);
  await rows.query('update retention_pass set finished_at = null, removed_to = null, removes_below = 9e18');
  const client = await openClient({ connectionString: url }, planByKeys);
  onTestFinished(() => client.end());
  const closing = new AbortController();
  const onRemoved = () => closing.abort();

  await removeDue(client, { now: () => later, onRemoved }, closing.signal);
  expect(await stored()).toBe(1);
  await removeDue(client, { now: () => later }, new AbortController().signal);
  expect(await stored()).toBe(0);
});

test.each<[string, (trx: Parameters<typeof rebuildProjection>[0], storeId: number) => Promise<unknown>]>([
  ['change crossings before it', (trx, storeId) => requireCrossings(trx, { storeId }, begin)],
  ['make the projector derive quarter hours again', rebuildProjection],
])('begins a pass only after transactions that %s', async (_, act) => {
  const { url, rows, database, stores } = await withRetention();
  const client = await openClient({ connectionString: url }, planByKeys);
  onTestFinished(() => client.end());
  const begun: unknown[] = [];
  const waiting = () =>
    rows.query(`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`);
  let beginning: Promise<unknown> | undefined;
  await database.kysely.transaction().execute(async (trx) => {
    await act(trx, stores[0] ?? 0);
    beginning = beginPasses(client, later).then((passes) => begun.push(...passes));
    await expect.poll(async () => begun.length + (await waiting()).length).toBe(1);
    expect(begun).toEqual([]);
  });
  await beginning;

  expect(begun).toEqual([{ company: 'Acme', before: kept }]);
});

test('removes crossings although the first attempt fails', async () => {
  const { url, device, committers, stored, rows } = await withRetention();
  await committers[0].store([batch(device, 1, 10)]);
  await projected(url);
  await rows.query(failOnce('trigger fail_once before delete on crossing for each statement'));
  const client = await openClient({ connectionString: url, pipeline: true }, planByKeys);
  onTestFinished(() => client.end());
  await untilTransactionsEnd(url);
  await beginPasses(client, later);
  await runRound(client, later, true);
  const problems: unknown[] = [];
  const remover = startRemover({
    url,
    applicationName: 'test remover',
    now: () => later,
    onProblem: (error) => problems.push(error),
  });
  onTestFinished(() => remover.close());

  await expect.poll(stored).toBe(0);
  expect(problems).toMatchObject([{ code: '40001' }]);
});

test('makes the beginning of a pass durable, although its removals need not be', async () => {
  const { url, rows } = await withRetention();
  await rows.query(`
    create table commits (durability text);
    create function record_commit() returns trigger language plpgsql as $$
    begin
      insert into commits select current_setting('synchronous_commit');
      return null;
    end $$;
    create trigger record_commit after insert on retention_pass execute function record_commit()`);
  const client = await openClient({ connectionString: url }, `${planByKeys}; set synchronous_commit = off`);
  onTestFinished(() => client.end());

  await beginPasses(client, later);

  expect(await rows.query('select * from commits')).toEqual([{ durability: 'on' }]);
});

test('rejects other crossings under removed keys as conflicts', async () => {
  const { url, device, committers, stored, rows } = await withRetention();
  const [{ store }] = committers;
  await store([batch(device, 1, 100)]);
  await retained(url, later);
  expect(await store([batch(device, 91, 20, begin + month)])).toEqual(['stored']);
  const first = { sequence: 1, at: kept, direction: 1 } as const;
  expect(await store([{ device, journal: `j-${device}`, crossings: [first] }])).toEqual(['stored']);
  expect(await stored()).toBe(10);
  const conflict = { reason: expect.stringMatching(/^conflict/) };
  expect(await rows.query('select reason from rejected_message')).toEqual([conflict, conflict]);
});

test('counts each crossing once while others of its journal are removed and sent again', async () => {
  const { url, device, devices, committers, counted, stored } = await withRetention();
  const second = devices[1] ?? 0;
  const [one, other] = committers;
  for (let first = 1; first <= 3_000; first += 500)
    await one.store([batch(device, first, 500), batch(second, first, 500)]);
  let isRemoved = false;
  const sendAgain = async ({ store }: typeof one, seed: number) => {
    for (let n = seed; !isRemoved; n += 1) {
      const first = 1 + ((n * 7_919) % 2_900);
      await store([batch(device, first, 1 + (n % 90)), batch(second, first, 60)]);
    }
  };
  const removal = retained(url, later).finally(() => {
    isRemoved = true;
  });
  await Promise.all([removal, sendAgain(one, 1), sendAgain(other, 500)]);
  const removed = await removal;
  expect(removed + (await stored())).toBe(6_000);
  await retained(url, later);
  expect(await counted()).toEqual({ entries: 4_000, exits: 2_000 });
});

test('removes crossings only when every change record is applied', async () => {
  const { url, rows, stores, device, counted } = await withRetention();
  const [storeId = 0] = stores;
  const record = (quarter: number, count: number) =>
    rows.query(
      `insert into change (changes)
       select json_build_array(json_build_array($1::integer, $2::integer)) from generate_series(1, $3)`,
      [storeId, quarter, count],
    );
  await record(1, 2_500);
  await rows.query(
    `insert into crossing (journal_id, device_id, store_id, sequence, at, direction)
     values ($1, $2, $3, 1, $4, 1)`,
    [await rows.journal(device, 'j'), device, storeId, new Date(begin)],
  );
  await record(Math.floor(begin / (15 * minute)), 1);

  expect(await retained(url, later)).toBe(1);
  expect(await counted()).toEqual({ entries: 1, exits: 0 });
});

test('reads the first quarter hour that is kept again when crossings arrive late, and when it is rebuilt', async () => {
  const { url, rows, devices, committers, database } = await withRetention();
  const [{ store }] = committers;
  const [device = 0, , , neighbour = 0] = devices;
  await retained(url, later);
  const one = (of: number, at: number, direction: 1 | -1): Message => ({
    device: of,
    journal: 'j',
    crossings: [{ sequence: 1, at, direction }],
  });
  await store([one(device, kept + 5 * minute, 1)]);
  await projected(url);
  await store([one(neighbour, kept + minute, -1)]);
  await projected(url);

  const quarters = () => rows.query('select sum, floor from occupancy_quarter');
  expect(await quarters()).toEqual([{ sum: 0, floor: 1 }]);

  await rows.query('update occupancy_quarter set sum = 9');
  await database.kysely.transaction().execute(rebuildProjection);
  await projected(url);
  expect(await quarters()).toEqual([{ sum: 0, floor: 1 }]);
});

test('removes voided crossings too, and none from the first instant that is kept on', async () => {
  const { url, device, committers, database, rows } = await withRetention();
  const [{ store }] = committers;
  const crossings = [begin, kept - 1, kept].map((at, index) => ({
    sequence: index + 1,
    at,
    direction: 1 as const,
  }));
  await store([{ device, journal: 'j', crossings }]);
  const range = { from: begin, until: begin + minute };
  await voidCrossings(database.kysely, { deviceId: device, ...range, reason: 'test', author: kim });

  await retained(url, later);

  expect(await rows.query('select sequence::integer from crossing')).toEqual([{ sequence: 3 }]);
  const voidFrom = (from: number) =>
    voidCrossings(database.kysely, { deviceId: device, from, until: kept + 1, reason: 'test', author: kim });
  await expect(voidFrom(kept - 1)).rejects.toThrow('were removed');
  expect(await voidFrom(kept)).toMatchObject({ crossings: 1 });
});

test('removes nothing before the projection is final, and does not finish', async () => {
  const { url, device, committers, stored } = await withRetention();
  await committers[0].store([batch(device, 1, 10)]);
  const client = await openClient({ connectionString: url }, planByKeys);
  onTestFinished(() => client.end());

  await untilTransactionsEnd(url);
  await removeDue(client, { now: () => later }, new AbortController().signal);

  expect(await stored()).toBe(10);
  expect(await retained(url, later)).toBe(10);
});
