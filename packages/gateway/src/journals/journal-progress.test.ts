import { advanceProgress } from '@visitor-counter/database/coverage/advance-progress';
import { recordUncounted } from '@visitor-counter/database/coverage/record-uncounted';
import { updateCoverage } from '@visitor-counter/database/coverage/update-coverage';
import { connect } from '@visitor-counter/database/sql/connect';
import { oneDoor } from '@visitor-counter/test/one-door';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { mostRowsRead } from '../../test/most-rows-read.ts';

async function oneDevice(maxConnections = 10) {
  const { url, rows, storeId, deviceId } = await oneDoor();
  const { pool, close } = connect(url, { applicationName: 'test progress', maxConnections });
  onTestFinished(close);
  const store = async (journalId: number, sequences: readonly number[]) => {
    await rows.query(
      `insert into crossing (journal_id, device_id, sequence, at, store_id, direction)
       select $1, $2, unnest($3::bigint[]), now(), $4, 1 on conflict do nothing`,
      [journalId, deviceId, sequences, storeId],
    );
  };
  const missing = async (journalId: number) => {
    const found = await rows.query(
      'select first::int, last::int from journal_missing where journal_id = $1 order by first',
      [journalId],
    );
    return found.flatMap(({ first, last }) => range(Number(first), Number(last)));
  };
  return { rows, deviceId, pool, store, missing };
}

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, n) => first + n);

test('reports every acknowledged sequence as accounted for or missing, in any order of updates', async () => {
  const { rows, deviceId, pool, store, missing } = await oneDevice();
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
      const journalId = await rows.journal(deviceId, journal);
      const accounted = new Set<number>();
      let acknowledged = 0;
      for (const { kind, first, count } of steps) {
        const last = first + count - 1;
        const reported = { deviceId, journal, acknowledged, lost: kind === 'lost' ? [{ first, last }] : [] };
        if (kind === 'stored') await store(journalId, range(first, last));
        if (kind === 'rejected') {
          const client = await pool.connect();
          await recordUncounted(client, [
            { deviceId, journal, sequences: range(first, last), mayBegin: true },
          ]);
          client.release();
        }
        if (kind === 'acknowledged') acknowledged = Math.max(acknowledged, last);
        else if (kind !== 'nothing') for (const sequence of range(first, last)) accounted.add(sequence);

        const before = await advanceProgress(pool, [{ deviceId, journal }]);
        await updateCoverage(pool, { ...reported, acknowledged });
        const [after] = await advanceProgress(pool, [{ deviceId, journal }]);

        expect(await missing(journalId)).toEqual(range(1, acknowledged).filter((one) => !accounted.has(one)));
        const through = [...range(1, 100)].find((one) => !accounted.has(one)) ?? 0;
        expect(after).toMatchObject({ through: through - 1, more: false });
        expect(after?.checked).toBeGreaterThanOrEqual(Math.max(acknowledged, before[0]?.checked ?? 0));
      }
    }),
    { numRuns: 60 },
  );
});

test('advances a long journal in steps, over a long lost range in one step, and ignores an unknown journal', async () => {
  const { rows, deviceId, pool, store } = await oneDevice();
  const journalId = await rows.journal(deviceId, 'long');
  await rows.journal(deviceId, 'freed');
  await store(journalId, range(1, 12_000));
  const advance = (journal: string) => advanceProgress(pool, [{ deviceId, journal }]);

  expect(await advance('long')).toMatchObject([{ through: 10_000, more: true }]);
  expect(await advance('long')).toMatchObject([{ through: 12_000, checked: 12_000, more: false }]);
  const lost = [{ first: 1, last: 5_000_000_000 }];
  expect(await updateCoverage(pool, { deviceId, journal: 'freed', acknowledged: 0, lost })).toMatchObject({
    lost: 5_000_000_000,
    more: false,
  });
  expect(await advance('freed')).toMatchObject([{ through: 5_000_000_000, more: false }]);
  expect(await advance('unknown')).toEqual([]);
});

test('finds the missing sequences of a long journal with many gaps in bounded steps', async () => {
  const { rows, deviceId, pool, store, missing } = await oneDevice();
  const journalId = await rows.journal(deviceId, 'holed');
  const even = range(1, 12_500).map((n) => 2 * n);
  await store(journalId, even);
  const look = () => updateCoverage(pool, { deviceId, journal: 'holed', acknowledged: 25_000, lost: [] });

  expect(await look()).toMatchObject({ missing: 1_000, more: false });
  for (let rounds = 0; rounds < 100; rounds += 1) {
    const some = await missing(journalId);
    if (some.length === 0) break;
    await store(journalId, some);
    for (let more = true; more; ) ({ more } = (await look()) ?? { more: false });
  }
  const [progress] = await advanceProgress(pool, [{ deviceId, journal: 'holed' }]);

  expect(progress).toMatchObject({ through: 25_000, checked: 25_000 });
});

test('reads no more stored crossings for many declared ranges than for one', async () => {
  const { rows, deviceId, pool, store } = await oneDevice(1);
  const journalId = await rows.journal(deviceId, 'j');
  await store(journalId, range(2, 60_000));
  await rows.query('vacuum analyze crossing');
  const lost = range(1, 20).map((n) => ({ first: 2_500 * n, last: 2_500 * n + 2_000 }));
  await updateCoverage(pool, { deviceId, journal: 'j', acknowledged: 1, lost });

  const client = await pool.connect();
  const [firsts, lasts] = [lost.map(({ first }) => first), lost.map(({ last }) => last)];
  const read = await mostRowsRead(client, 'find-stored-ranges', `${journalId}, '{${firsts}}', '{${lasts}}'`);
  client.release();
  expect(read).toBeLessThan(15_000);
});

test('finds every missing sequence of a journal with more stored ones than a call reads, and finds it again', async () => {
  const { rows, deviceId, pool, store, missing } = await oneDevice();
  const journalId = await rows.journal(deviceId, 'long');
  const look = async () => {
    const reported = { deviceId, journal: 'long', acknowledged: 30_000, lost: [] };
    while ((await updateCoverage(pool, reported))?.more);
    return missing(journalId);
  };
  await store(journalId, range(20_001, 29_999));
  expect(await look()).toEqual([...range(1, 20_000), 30_000]);

  await store(journalId, range(1, 12_000));
  await store(journalId, range(12_003, 19_999));
  expect(await look()).toEqual([12_001, 12_002, 20_000, 30_000]);

  await rows.query('delete from journal_missing');
  await rows.query('update journal_progress set checked = 0');
  expect(await look()).toEqual([12_001, 12_002, 20_000, 30_000]);
});

test('reports all acknowledged crossings of an unknown journal as missing, and writes them once', async () => {
  const { rows, deviceId, pool } = await oneDevice();
  const look = () => updateCoverage(pool, { deviceId, journal: 'new', acknowledged: 4_408, lost: [] });
  const written = () =>
    rows.query(
      'select missing.xmin::text as missing, progress.xmin::text as progress from journal_missing missing, journal_progress progress',
    );
  expect(await look()).toMatchObject({ missing: 4_408, lost: 0 });
  const first = await written();
  expect(await look()).toMatchObject({ missing: 4_408, lost: 0 });
  expect(first).toHaveLength(1);
  expect(await written()).toEqual(first);

  await rows.query("update journal_missing set since = now() - interval '1 day'");
  const later = { deviceId, journal: 'new', acknowledged: 4_410, lost: [{ first: 4_409, last: 4_409 }] };
  expect(await updateCoverage(pool, later)).toMatchObject({ missing: 4_409, lost: 1 });
  const since =
    "select first::int, since < now() - interval '1 hour' as is_old from journal_missing order by 1";
  expect(await rows.query(since)).toEqual([
    { first: 1, is_old: true },
    { first: 4_410, is_old: false },
  ]);
  expect(
    await updateCoverage(pool, { deviceId: 999, journal: 'j', acknowledged: 5, lost: [] }),
  ).toBeUndefined();
});

test('compares a lost range with many stored crossings piece by piece, and ends, while earlier ones are missing', async () => {
  const { rows, deviceId, pool, store } = await oneDevice();
  const journalId = await rows.journal(deviceId, 'long');
  await store(journalId, range(2, 25_000));
  let lost: readonly { first: number; last: number }[] = [{ first: 2, last: 25_100 }];
  const found: number[] = [];
  for (let more = true; more && found.length < 10; ) {
    const accounted = await updateCoverage(pool, { deviceId, journal: 'long', acknowledged: 1, lost });
    found.push(accounted?.lost ?? 0);
    lost = accounted?.lostUnseen ?? [];
    more = accounted?.more ?? false;
  }
  expect(found).toEqual([0, 0, 100]);
});

test('does not advance over a gap that another gateway can no longer record', async () => {
  const { rows, deviceId, pool, store } = await oneDevice();
  const journalId = await rows.journal(deviceId, 'holed');
  /* A thousand gaps are all that is recorded of a journal. */
  await store(
    journalId,
    range(1, 1_000).map((n) => 4 * n),
  );
  const look = (acknowledged: number) =>
    updateCoverage(pool, { deviceId, journal: 'holed', acknowledged, lost: [] });
  await look(4_000);
  await store(journalId, [2, ...range(4_001, 4_100)]);
  const blocked = () =>
    rows.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );

  const client = await pool.connect();
  await client.query('begin');
  await client.query('select from journal_missing for update');
  const looking = look(4_000);
  await expect.poll(blocked).toHaveLength(1);
  const advancing = advanceProgress(pool, [{ deviceId, journal: 'holed' }]);
  await expect.poll(blocked).toHaveLength(2);
  await client.query('commit');
  client.release();
  await Promise.all([looking, advancing]);

  /* The last gap, 3,997 to 3,999, is found again when others are filled. */
  expect(await rows.query('select checked::int from journal_progress')).toEqual([{ checked: 3_996 }]);
});

test('stores at most ten thousand lost ranges of a device', async () => {
  const { rows, deviceId, pool, missing } = await oneDevice();
  const journals = ['one', 'other'];
  const ids = [await rows.journal(deviceId, 'one'), await rows.journal(deviceId, 'other')];
  let lost = 0;
  for (let call = 0; call < 12; call += 1) {
    const declared = range(1, 1_000).map((n) => ({
      first: 2_000 * call + 2 * n,
      last: 2_000 * call + 2 * n,
    }));
    const reported = { deviceId, journal: journals[call % 2] ?? '', acknowledged: 0, lost: declared };
    lost += (await updateCoverage(pool, reported))?.lost ?? 0;
  }
  const further = { deviceId, journal: 'one', acknowledged: 30_010, lost: [{ first: 30_000, last: 30_010 }] };
  for (let more = true; more; ) {
    const accounted = await updateCoverage(pool, further);
    ({ more } = accounted ?? { more: false });
    lost += accounted?.lost ?? 0;
  }

  expect(lost).toBe(10_011);
  expect(await rows.query('select count(*)::int from journal_uncounted')).toEqual([{ count: 10_000 }]);
  expect(await missing(ids[0] ?? 0)).toContain(1);
});

/** A device with as many lost ranges as are stored for one, and an empty journal "j". */
async function oneDeviceAtItsLimit() {
  const device = await oneDevice();
  const { rows, deviceId } = device;
  await rows.query(
    `insert into journal_uncounted (journal_id, first, last, reason)
     select $1, 2 * n, 2 * n, 'lost' from generate_series(1, 10000) as n`,
    [await rows.journal(deviceId, 'full')],
  );
  return { ...device, journalId: await rows.journal(deviceId, 'j') };
}

test('advances over the lost ranges that a device declares in addition to those that are stored', async () => {
  const { deviceId, journalId, pool, store, missing } = await oneDeviceAtItsLimit();
  await store(journalId, [...range(1, 3), ...range(6, 9), 12, 13, 15]);
  const lost = [
    { first: 3, last: 5 },
    { first: 10, last: 11 },
    { first: 16, last: 17 },
  ];
  const reported = { deviceId, journal: 'j', acknowledged: 3, lost };

  expect(await updateCoverage(pool, reported)).toMatchObject({ missing: 0, lost: 4, more: false });
  expect(await missing(journalId)).toEqual([]);
  const advance = () => advanceProgress(pool, [{ deviceId, journal: 'j' }]);
  expect(await advance()).toMatchObject([{ through: 13, checked: 13, more: false }]);

  expect(await updateCoverage(pool, { ...reported, acknowledged: 15 })).toMatchObject({
    missing: 1,
    lost: 2,
  });
  expect(await missing(journalId)).toEqual([14]);
  expect(await advance()).toMatchObject([{ through: 13, checked: 17, more: false }]);
});

test('advances over missing sequences that a device declares lost in addition to those that are stored', async () => {
  const { deviceId, journalId, pool, store, missing } = await oneDeviceAtItsLimit();
  const even = range(1, 1_500).map((n) => 2 * n);
  await store(journalId, even);
  const odd = even.map((n) => ({ first: n - 1, last: n - 1 }));
  const look = (lost: typeof odd) =>
    updateCoverage(pool, { deviceId, journal: 'j', acknowledged: 3_000, lost });

  expect(await look([])).toMatchObject({ missing: 1_000, more: false });
  expect(await look(odd.slice(0, 1_000))).toMatchObject({ missing: 500, lost: 1_000, more: false });
  expect(await look(odd.slice(0, 1_000))).toMatchObject({ missing: 500, lost: 0, more: false });
  expect(await look(odd.slice(1_000))).toMatchObject({ missing: 0, lost: 500, more: false });

  expect(await missing(journalId)).toEqual([]);
  const [progress] = await advanceProgress(pool, [{ deviceId, journal: 'j' }]);
  expect(progress).toMatchObject({ through: 3_000, checked: 3_000 });
});

test('reads only the accounted ranges of a long journal that overlap what it compares', async () => {
  const { rows, deviceId, pool, store } = await oneDevice(1);
  const journalId = await rows.journal(deviceId, 'hostile');
  await rows.query(
    `insert into journal_uncounted (journal_id, first, last, reason)
     select $1, 4 * n, 4 * n, 'rejected' from generate_series(1, 50000) as n`,
    [journalId],
  );
  await rows.query('insert into journal_progress values ($1, 100002)', [journalId]);
  await rows.query('vacuum analyze journal_uncounted');
  await store(journalId, [100_003, 100_005, 100_006, 100_009, 100_010]);
  const reported = {
    deviceId,
    journal: 'hostile',
    acknowledged: 100_003,
    lost: [{ first: 100_007, last: 100_007 }],
  };

  expect(await updateCoverage(pool, reported)).toMatchObject({ missing: 0, lost: 1 });
  expect(await rows.query('select checked::int from journal_progress')).toEqual([{ checked: 100_004 }]);
  expect(await advanceProgress(pool, [{ deviceId, journal: 'hostile' }])).toMatchObject([
    { checked: 100_010 },
  ]);

  const client = await pool.connect();
  const read = (name: string, values: string) => mostRowsRead(client, name, values);
  const ranges = `${journalId}, '{100003}', '{100010}'`;
  expect(await read('find-known-ranges', ranges)).toBeLessThan(20);
  expect(await read('skip-uncounted', `${journalId}, 100004`)).toBeLessThan(20);
  const claim = `'{${deviceId}}', '{hostile}', '{9007199254740991}'`;
  expect(await read('advance-progress', claim)).toBeLessThan(15_000);
  client.release();
});
