import { storeMessages } from '@visitor-counter/database/ingest/store-messages';
import { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import { rejectionOf } from '@visitor-counter/database/rejected/rejected-entries';
import { withClient } from '@visitor-counter/database/sql/create-database';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { failOnce } from '../../test/fail-once.ts';
import { begin, expectRight, type Message, minute, storingCompany } from '../../test/storing-company.ts';

const withOneStatement = 'store-new';
const byComparing = 'insert-crossings';

/** Crossings of a journal from a sequence on, one a second after `begin`. */
const message = (device: number, first: number, count = 3): Message => ({
  device,
  journal: 'j',
  crossings: Array.from({ length: count }, (_, n) => ({
    sequence: first + n,
    at: begin + (first + n) * 1_000,
    direction: n % 3 === 2 ? -1 : 1,
  })),
});

test('stores new crossings with one statement, and compares redelivered ones', async () => {
  const acme = await storingCompany();
  const [one, another] = acme.committers;
  const [device = 0, , , neighbour = 0] = acme.devices;
  const runs = async () => [await one.runs(withOneStatement), await one.runs(byComparing)];

  await one.store([message(device, 1)]);
  await one.store([message(device, 4)]);
  expect(await runs()).toEqual([2, 0]);

  /* Both devices belong to one store. */
  await another.store([message(neighbour, 5)]);
  await one.store([message(device, 7)]);
  expect(await runs()).toEqual([3, 0]);

  await one.store([message(device, 7)]);
  expect(await runs()).toEqual([4, 1]);

  await one.store([message(device, 10)]);
  await another.store([message(device, 13)]);
  await one.store([message(device, 13), message(device, 16)]);
  expect(await acme.rows.query('select count(*)::integer from crossing')).toEqual([{ count: 21 }]);
  await expectRight(acme, [begin + minute]);
});

test('does not report crossings as stored whose transaction has not ended', async () => {
  const { url, rows, devices } = await storingCompany();
  const connection = new StoringConnection(url, 'test');
  onTestFinished(() => connection.close());
  const { device, journal, crossings } = message(devices[0] ?? 0, 1);
  const toStore = { deviceId: device, topic: 't', batch: { journal, crossings }, rejections: [] };

  const storing = connection.use(async (client, caches) => {
    await client.query('begin');
    return storeMessages(client, caches, [toStore]);
  });

  await expect(storing).rejects.toThrow('the transaction has not ended');
  expect(await rows.query('select from crossing')).toEqual([]);
});

test('reads the store of a device again after it has moved', async () => {
  const acme = await storingCompany();
  const [one] = acme.committers;
  const [device = 0] = acme.devices;
  await one.store([message(device, 1)]);
  await one.store([message(device, 4)]);

  await acme.move(0, 1, { since: begin + 8_000 });
  await one.store([message(device, 7)]);

  const stores = await acme.rows.query('select store_id from crossing order by sequence');
  expect(stores.map((row) => row['store_id'])).toEqual([
    ...Array.from({ length: 7 }, () => acme.stores[0]),
    ...Array.from({ length: 2 }, () => acme.stores[1]),
  ]);
  await expectRight(acme, [begin + minute]);
});

test.each([
  { what: 'new crossings', rejections: [] },
  { what: 'a message of which a part is rejected', rejections: [{ reason: 'r', payload: Buffer.of() }] },
])(
  'waits while a device is being moved, and then stores $what under its new store',
  async ({ rejections }) => {
    const acme = await storingCompany();
    const [one] = acme.committers;
    const [device = 0] = acme.devices;
    await one.store([message(device, 1)]);
    await one.store([message(device, 4)]);

    let storing: Promise<unknown> | undefined;
    await acme.move(0, 1, { since: begin + 8_000 }, async () => {
      storing = one.store([{ ...message(device, 7), rejections }]);
      await expect.poll(() => acme.rows.query(waitingStores)).toHaveLength(1);
    });
    await storing;

    const stores = await acme.rows.query(
      'select store_id from crossing where sequence > 6 order by sequence',
    );
    expect(stores.map((row) => row['store_id'])).toEqual([acme.stores[0], acme.stores[1], acme.stores[1]]);
    await expectRight(acme, [begin + minute]);
  },
);

const waitingStores = `
  select from pg_stat_activity
  where datname = current_database() and wait_event = 'advisory'`;

test('does not store crossings again that are removed while it looks for them', async () => {
  const { url, rows, devices, committers } = await storingCompany();
  const sent = message(devices[0] ?? 0, 1);
  await committers[0].store([sent]);
  await withClient(url, async (remover) => {
    await remover.query('begin; lock table crossing in share row exclusive mode');
    const rejections = [rejectionOf('test', 'j', [[4, 'x']])];
    const storing = committers[0].store([{ ...sent, rejections }]);
    await expect
      .poll(() =>
        rows.query(`select from pg_locks where relation = 'crossing'::regclass and not granted
          and database = (select oid from pg_database where datname = current_database())`),
      )
      .toHaveLength(1);
    await remover.query(
      `with removed as (delete from crossing returning journal_id)
       insert into journal_removed (journal_id, first, last) select distinct journal_id, 1, 3 from removed`,
    );
    await remover.query('commit');
    await storing;
  });

  expect(await rows.query('select from crossing')).toEqual([]);
});

test('stores again after a commit that failed', async () => {
  const acme = await storingCompany();
  const [one] = acme.committers;
  const [device = 0] = acme.devices;
  await one.store([message(device, 1)]);
  await acme.rows.query(failOnce(atCommit));

  await one.store([message(device, 4)]);

  expect(await acme.rows.query('select count(*)::integer from crossing')).toEqual([{ count: 6 }]);
  await one.store([message(device, 7)]);
  await expectRight(acme, [begin + minute]);
});

const atCommit = `constraint trigger fail_once after insert on crossing deferrable initially deferred
  for each row when (new.sequence = 4)`;

/**
 * Live units: how many crossings follow on which committer, and how many of the latest are repeated with
 * them.
 */
const sending = fc.record({
  device: fc.nat(3),
  committer: fc.nat(1),
  fresh: fc.integer({ min: 1, max: 20 }),
  again: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(5) }),
  late: fc.nat(40_000),
});

test('counts crossings of live units correctly at either of two committers, early, late and repeated', async () => {
  const acme = await storingCompany();
  const { committers, devices, rows } = acme;
  let now = begin;
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(sending, { maxLength: 4 }), { maxLength: 12 }), async (rounds) => {
      await rows.query('truncate crossing, occupancy_quarter, store_day, device_quarter, change');
      run += 1;
      const sent = devices.map((): Message['crossings'] => []);
      for (const round of rounds) {
        const messages = round.map(({ device, committer, fresh, again, late }) => {
          const own = sent[device] ?? [];
          const from = own.length - Math.min(again, own.length);
          for (let n = 0; n < fresh; n += 1) {
            now += 700;
            own.push({ sequence: own.length + 1, at: now - late, direction: n % 3 === 2 ? -1 : 1 });
          }
          return { committer, device: devices[device] ?? 0, journal: `j${run}`, crossings: own.slice(from) };
        });
        await Promise.all(
          committers.map(({ store }, n) => store(messages.filter(({ committer }) => committer === n))),
        );
      }
      const [stored] = await rows.query('select count(*)::integer from crossing');
      expect(stored?.['count']).toBe(sent.flat().length);
      await expectRight(acme, [now, now - 30_000]);
    }),
    { numRuns: 25, endOnFailure: true },
  );
  expect(await committers[0].runs(withOneStatement)).toBeGreaterThan(0);
});
