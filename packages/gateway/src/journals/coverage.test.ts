import { accountRejected } from '@visitor-counter/database/coverage/account-rejected';
import { type Range, updateCoverage } from '@visitor-counter/database/coverage/update-coverage';
import { preparedOn } from '@visitor-counter/database/sql/query-builder';
import { connected } from '@visitor-counter/test/connected';
import { holdLock } from '@visitor-counter/test/held-lock';
import { oneDoor } from '@visitor-counter/test/one-door';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mostRowsRead } from '../../test/most-rows-read.ts';

async function oneDevice(maxConnections = 10) {
  const { url, rows, storeId, deviceId } = await oneDoor();
  const { pool, kysely } = connected(url, maxConnections);
  const store = async (journal: string, sequences: readonly number[]) => {
    await rows.query(
      `insert into crossing (journal_id, device_id, sequence, at, store_id, direction)
       select $1, $2, unnest($3::bigint[]), now(), $4, 1 on conflict do nothing`,
      [await rows.journal(deviceId, journal), deviceId, sequences, storeId],
    );
  };
  const reject = async (journal: string, sequences: readonly number[]) => {
    await accountRejected(kysely, [{ deviceId, journal, sequences }]);
  };
  /** Reports an acknowledged sequence and lost ranges, and returns the results. */
  const look = (journal: string, acknowledged: number, lost: readonly Range[] = []) =>
    updateCoverage(kysely, [{ deviceId, journal, acknowledged, lost }]);
  const sequencesIn = async (column: 'missing' | 'lost', journal: string) => {
    const found = await rows.query(
      `select lower(part)::int as first, (upper(part) - 1)::int as last
       from journal cross join unnest(${column}) part where name = $1 order by 1`,
      [journal],
    );
    return found.flatMap(({ first, last }) => range(Number(first), Number(last)));
  };
  const missing = (journal: string) => sequencesIn('missing', journal);
  const lostOf = (journal: string) => sequencesIn('lost', journal);
  return { url, rows, deviceId, pool, kysely, store, reject, look, missing, lostOf };
}

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, n) => first + n);

test('records every acknowledged sequence as accounted for or missing, in any order of updates', async () => {
  const { rows, deviceId, store, reject, look, missing, lostOf } = await oneDevice();
  let journals = 0;
  const step = fc.record({
    kind: fc.constantFrom('stored', 'rejected', 'lost', 'acknowledged', 'nothing'),
    first: fc.integer({ min: 1, max: 30 }),
    count: fc.integer({ min: 1, max: 8 }),
  });

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      journals += 1;
      const journal = `j${journals}`;
      await rows.journal(deviceId, journal);
      const accounted = new Set<number>();
      const lost = new Set<number>();
      let acknowledged = 0;
      for (const { kind, first, count } of steps) {
        const last = first + count - 1;
        if (kind === 'stored') await store(journal, range(first, last));
        if (kind === 'rejected') await reject(journal, range(first, last));
        if (kind === 'acknowledged') acknowledged = Math.max(acknowledged, last);
        else if (kind !== 'nothing') {
          for (const sequence of range(first, last)) {
            if (kind === 'lost' && !accounted.has(sequence)) lost.add(sequence);
            accounted.add(sequence);
          }
        }

        await look(journal, acknowledged, kind === 'lost' ? [{ first, last }] : []);

        expect(await missing(journal)).toEqual(range(1, acknowledged).filter((one) => !accounted.has(one)));
        expect(await lostOf(journal)).toEqual([...lost].sort((a, b) => a - b));
      }
    }),
    { numRuns: 60 },
  );
});

test('finds every missing sequence of a journal with more stored ones than a statement reads', async () => {
  const { store, look, missing } = await oneDevice();
  await store('j', range(20_001, 29_999));
  await look('j', 30_000);
  expect(await missing('j')).toEqual([...range(1, 20_000), 30_000]);

  await store('j', range(1, 12_000));
  await store('j', range(12_003, 19_999));
  await look('j', 0);
  expect(await missing('j')).toEqual([12_001, 12_002, 20_000, 30_000]);
  await look('j', 30_000, [{ first: 1, last: 5_000_000_000 }]);
  expect(await missing('j')).toEqual([]);
});

test('finds the missing sequences of a journal with many gaps when earlier ones are stored', async () => {
  const { store, look, missing } = await oneDevice();
  const last = 1_250;
  await store(
    'j',
    range(1, last / 2).map((n) => 2 * n),
  );
  const filled: number[] = [];
  for (let rounds = 0; rounds < 20; rounds += 1) {
    await look('j', last);
    const some = await missing('j');
    expect(some.length).toBeLessThanOrEqual(100);
    filled.push(...some);
    await store('j', some);
  }

  expect(filled).toEqual(range(1, last / 2).map((n) => 2 * n - 1));
});

test('reports what an unknown journal lacks once, and leaves out unknown devices and journals without anything', async () => {
  const { rows, deviceId, kysely, look } = await oneDevice();
  expect(await look('new', 4_408)).toEqual([
    { deviceId, journal: 'new', missing: 4_408, before: 0, lost: 0, more: false },
  ]);
  const written = () => rows.query('select xmin::text from journal');
  const first = await written();
  expect(await look('new', 4_408)).toMatchObject([{ missing: 4_408, before: 4_408 }]);
  expect(await written()).toEqual(first);

  expect(await look('empty', 0)).toEqual([]);
  const unknown = { deviceId: 999, journal: 'j', acknowledged: 5, lost: [] };
  expect(await updateCoverage(kysely, [unknown])).toEqual([]);
  expect(await rows.query('select name from journal')).toEqual([{ name: 'new' }]);
});

test('compares a lost range with many stored crossings, while earlier ones are missing', async () => {
  const { store, look, missing, lostOf } = await oneDevice();
  await store('long', range(2, 25_000));
  const results = await look('long', 1, [{ first: 2, last: 25_100 }]);

  expect(results.reduce((sum, { lost }) => sum + lost, 0)).toBe(100);
  expect(await lostOf('long')).toEqual(range(25_001, 25_100));
  expect(await missing('long')).toEqual([1]);
});

test('bounds what is recorded about a journal of a hostile unit', async () => {
  const { rows, look, reject } = await oneDevice();
  for (let call = 0; call < 20; call += 1) {
    const odd = range(1, 1_000).map((n) => 2_000 * call + 2 * n);
    await look(
      'lost',
      0,
      odd.map((n) => ({ first: n, last: n })),
    );
    await reject('rejected', odd);
  }
  const ranges = await rows.query(
    `select name, (select count(*)::int from unnest(accounted)) as accounted,
       (select count(*)::int from unnest(lost)) as lost from journal order by name`,
  );
  expect(ranges).toEqual([
    { name: 'lost', accounted: 10_000, lost: 1_000 },
    { name: 'rejected', accounted: 10_000, lost: 0 },
  ]);
});

test('keeps what another gateway records while it waits for the row', async () => {
  const { url, rows, deviceId, store, reject, look, missing } = await oneDevice();
  await store('j', [1, 2, 5]);
  const lock = await holdLock(url, 'select from journal for update');
  const looking = look('j', 6);
  const blocked = () =>
    rows.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
  await expect.poll(blocked).toHaveLength(1);
  const rejecting = reject('j', [3]);
  await expect.poll(blocked).toHaveLength(2);
  await lock.release();
  await Promise.all([looking, rejecting]);

  expect(await missing('j')).toEqual([4, 6]);
  expect(await look('j', 6)).toMatchObject([{ deviceId, missing: 2, before: 2 }]);
});

test('reads few stored crossings of a long journal', async () => {
  const { rows, deviceId, pool, store, look } = await oneDevice(1);
  await store('j', range(1, 60_000));
  await look('j', 60_000);
  await store('j', range(60_001, 60_010));
  await rows.query('vacuum analyze crossing');

  const client = await pool.connect();
  await updateCoverage(preparedOn(client), [{ deviceId, journal: 'j', acknowledged: 0, lost: [] }]);
  const values = `'{${deviceId}}', '{j}', '{60010}', '{"{[100,200]}"}', '{60010}'`;
  const read = await mostRowsRead(client, '%with reported as%', values);
  client.release();
  expect(read).toBeLessThan(100);
});
