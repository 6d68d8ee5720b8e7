import { isDeepStrictEqual } from 'node:util';
import { accountRejected } from '@visitor-counter/database/coverage/account-unstored';
import { compareJournals } from '@visitor-counter/database/coverage/compare-journals';
import { preparedOn } from '@visitor-counter/database/sql/query-builder';
import { connected } from '@visitor-counter/test/connected';
import { holdLock } from '@visitor-counter/test/held-lock';
import { oneDoor } from '@visitor-counter/test/one-door';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mostRowsRead } from '../../test/most-rows-read.ts';

/** Both ends included. */
interface Range {
  readonly first: number;
  readonly last: number;
}

type Found = NonNullable<Awaited<ReturnType<typeof compareJournals>>>['changed'][number];

async function oneDevice() {
  const { url, rows, companyId, storeId, deviceId } = await oneDoor();
  const { pool, kysely } = connected(url);
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
  /** Stores a heartbeat, and compares until nothing more is found. Returns what was found. */
  const beat = async (heartbeat: object, device = deviceId) => {
    await rows.query(
      `insert into device_state (device_id, heartbeat) values ($1, $2)
       on conflict (device_id) do update set heartbeat = excluded.heartbeat`,
      [device, JSON.stringify(heartbeat)],
    );
    const found: Found[] = [];
    for (let before: unknown; ; ) {
      const compared = await compareJournals(kysely, 0, 500);
      found.push(...(compared?.changed ?? []));
      const after = await rows.query('select xmin::text from journal order by id');
      if (isDeepStrictEqual(after, before)) return found;
      before = after;
    }
  };
  /** Reports an acknowledged sequence and lost ranges. */
  const look = (journal: string, acknowledged: number, lost: readonly Range[] = []) =>
    beat({
      volatile: { journal, acknowledged },
      lost: lost.map(({ first, last }) => [journal, first, last]),
    });
  const sequencesIn = async (column: 'missing' | 'lost', journal: string) => {
    const found = await rows.query(
      `select lower(part)::int as first, (upper(part) - 1)::int as last
       from journal cross join unnest(${column}) part where name = $1 order by 1`,
      [journal],
    );
    return found.flatMap(({ first, last }) => range(Number(first), Number(last)));
  };
  /** The statements that wait for another transaction. */
  const blocked = () =>
    rows.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
  const missing = (journal: string) => sequencesIn('missing', journal);
  const lostOf = (journal: string) => sequencesIn('lost', journal);
  return {
    url,
    rows,
    deviceId,
    companyId,
    storeId,
    pool,
    kysely,
    store,
    reject,
    beat,
    look,
    blocked,
    missing,
    lostOf,
  };
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

test('reports what an unknown journal lacks once, and leaves out journals without anything', async () => {
  const { rows, look } = await oneDevice();
  expect(await look('new', 4_408)).toEqual([
    { serial: 'CU-1', journal: 'new', missing: 4_408, before: 0, lost: 0 },
  ]);
  const written = () => rows.query('select xmin::text from journal');
  const first = await written();
  expect(await look('new', 4_408)).toEqual([]);
  expect(await written()).toEqual(first);

  expect(await look('empty', 0)).toEqual([]);
  expect(await rows.query('select name from journal')).toEqual([{ name: 'new' }]);
});

test('records at once what the only heartbeat about an unknown journal declares', async () => {
  const { rows, kysely, missing, lostOf } = await oneDevice();
  const volatile = { journal: 'old', recorded: 30, acknowledged: 30 };
  await rows.query('update device_state set heartbeat = $1', [
    JSON.stringify({ volatile, lost: [['old', 11, 20]] }),
  ]);

  const { changed } = (await compareJournals(kysely, 0, 500)) ?? {};

  expect(changed).toEqual([{ serial: 'CU-1', journal: 'old', missing: 20, before: 0, lost: 10 }]);
  expect(await missing('old')).toEqual([...range(1, 10), ...range(21, 30)]);
  expect(await lostOf('old')).toEqual(range(11, 20));
});

test('compares at most eight journals of a heartbeat, its own first, and none that cannot be stored', async () => {
  const { rows, beat, missing, lostOf } = await oneDevice();
  const lost = Array.from({ length: 9 }, (_, n): [string, number, number] => [`lost-${n}`, 0, 2]);
  const volatile = { journal: 'v', recorded: 3, acknowledged: 3 };

  await beat({ journal: 'j', recorded: 7, acknowledged: 5, volatile, lost: [['no journal', 1, 2], ...lost] });

  const names = ['j', 'v', 'lost-0', 'lost-1', 'lost-2', 'lost-3', 'lost-4', 'lost-5'];
  expect((await rows.query('select name from journal')).map(({ name }) => name).sort()).toEqual(names.sort());
  expect(await missing('j')).toEqual(range(1, 5));
  expect(await missing('v')).toEqual(range(1, 3));
  expect(await lostOf('lost-0')).toEqual([1, 2]);
  expect(await rows.query(`select recorded::int from journal where recorded > 0 order by 1`)).toEqual([
    { recorded: 3 },
    { recorded: 7 },
  ]);
});

test('compares the journals of a device although another one reports nonsense', async () => {
  const { rows, companyId, storeId, beat, missing, lostOf } = await oneDevice();
  const most = Number.MAX_SAFE_INTEGER;
  await beat({
    journal: '\ufffd',
    recorded: 'many',
    acknowledged: -1,
    volatile: [7],
    lost: [
      ['r', 9, 2],
      ['h', 0, most],
      ['h', 5, most],
      ['n', 'a', 1e300],
      ['n', -1, 1.5],
      'x',
      [],
      [null, 1, 2],
      { 1: 2 },
    ],
  });
  await beat({ journal: { a: 1 }, recorded: most, acknowledged: most, volatile: null, lost: { r: 1 } });
  const other = await rows.device({ companyId, storeId, serial: 'CU-2' });

  const found = await beat({ journal: 'other', recorded: 3, acknowledged: 3 }, other);

  expect(found).toEqual([{ serial: 'CU-2', journal: 'other', missing: 3, before: 0, lost: 0 }]);
  expect(await missing('other')).toEqual([1, 2, 3]);
  const ranges = await rows.query(`select name, lost::text from journal where name = 'h'`);
  expect(ranges).toEqual([{ name: 'h', lost: `{[1,${most + 1})}` }]);
  expect(await lostOf('r')).toEqual([]);
});

test('finds what is stored of many incomplete journals of a device, a few with each call', async () => {
  const { rows, beat, store } = await oneDevice();
  const names = range(1, 40).map((n) => `j${n}`);
  const recorded = () => rows.query('select from journal where missing_since is not null');
  for (const journal of names) await beat({ journal, recorded: 2, acknowledged: 2 });
  expect(await recorded()).toHaveLength(40);
  for (const journal of names) await store(journal, [1, 2]);

  for (let calls = 0; (await recorded()).length > 0; calls += 1) {
    expect(calls).toBeLessThan(200);
    await beat({ journal: 'j1', recorded: 2, acknowledged: 2 });
  }
});

test('does not count a journal as incomplete until a heartbeat has reported its end', async () => {
  const { rows, beat, store, missing } = await oneDevice();
  await store('ended', [1, 2]);

  expect(await beat({ journal: 'j', recorded: 0, acknowledged: 0 })).toEqual([]);
  expect(await rows.query('select from journal where missing_since is not null')).toEqual([]);

  const volatile = { journal: 'ended', recorded: 3, acknowledged: 3 };
  await beat({ journal: 'j', recorded: 0, acknowledged: 0, volatile });
  expect(await missing('ended')).toEqual([3]);
});

test('compares a number of devices with each call, and begins again after the last one', async () => {
  const { rows, kysely, companyId } = await oneDevice();
  await rows.query(
    `with added as (
       insert into device (company_id, serial, serial_key, name, secret_hash)
       select $1, 'D-' || n, 'd-' || n, '', sha256('') from generate_series(1, 700) n returning id
     )
     insert into device_state (device_id, heartbeat)
     select id, '{"journal": "j", "recorded": 2, "acknowledged": 2}' from added`,
    [companyId],
  );
  const found = async (after: number) => {
    const { last = -1, changed = [] } = (await compareJournals(kysely, after, 500)) ?? {};
    return { last, changed: changed.length };
  };
  /* The device of the test is one of them, and reports nothing. */
  const { last, changed } = await found(0);
  expect(changed).toBe(499);
  expect(await found(last)).toEqual({ last: 0, changed: 201 });
  expect(await found(0)).toEqual({ last, changed: 0 });
  expect(await found(last)).toEqual({ last: 0, changed: 0 });
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
  const { url, store, reject, look, blocked, missing } = await oneDevice();
  await store('j', [1, 2, 5]);
  const lock = await holdLock(url, 'select from journal for update');
  const looking = look('j', 6);
  await expect.poll(blocked).toHaveLength(1);
  const rejecting = reject('j', [3]);
  await expect.poll(blocked).toHaveLength(2);
  await lock.release();
  await Promise.all([looking, rejecting]);

  expect(await missing('j')).toEqual([4, 6]);
  expect(await look('j', 6)).toEqual([]);
});

test('writers of several journals do not deadlock: none has a journal while it waits for an earlier one', async () => {
  const { url, rows, deviceId, kysely, beat, blocked } = await oneDevice();
  const names = range(1, 20).map((n) => `j${n}`);
  for (const journal of names) await rows.journal(deviceId, journal);
  const lock = await holdLock(url, `select from journal where name = 'j1' for update`);
  const free = () => rows.query('select from journal for update skip locked');

  const backwards = names.toReversed().map((journal) => ({ deviceId, journal, sequences: [1] }));
  const rejecting = kysely.transaction().execute((trx) => accountRejected(trx, backwards));
  await expect.poll(blocked).toHaveLength(1);
  expect(await free()).toHaveLength(19);
  const said = { recorded: 3, acknowledged: 3 };
  const comparing = beat({ journal: 'j9', ...said, volatile: { journal: 'j1', ...said } });
  await expect.poll(blocked).toHaveLength(2);
  expect(await free()).toHaveLength(19);

  await lock.release();
  await Promise.all([rejecting, comparing]);
});

test('reads few stored crossings of a long journal', async () => {
  const { rows, deviceId, pool, store, look } = await oneDevice();
  await store('j', range(1, 60_000));
  await look('j', 60_000);
  await store('j', range(60_001, 60_010));
  await rows.query('vacuum analyze crossing');

  await rows.query(
    `update device_state set heartbeat = '{"journal":"j","recorded":60010,"acknowledged":60010,"lost":[["j",100,200]]}'`,
  );
  const client = await pool.connect();
  await compareJournals(preparedOn(client), deviceId, 500);
  const read = await mostRowsRead(client, '%with unit as%', '0, 500');
  client.release();
  expect(read).toBeLessThan(100);
});
