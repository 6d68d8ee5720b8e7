import { connect } from '@visitor-counter/database/connect';
import { advanceProgress, type SettledRange } from '@visitor-counter/database/ingest/advance-progress';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import fc from 'fast-check';
import { expect, test } from 'vitest';

test('whatever is stored and told in whatever order, progress is the longest prefix without a hole', async () => {
  const url = await testDatabase();
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S-1' });
  const deviceId = await rows.device({ companyId, storeId, serial: 'CU-1' });
  const database = connect(url, { applicationName: 'test progress' });
  let journals = 0;
  const step = fc.record({
    stored: fc.boolean(),
    first: fc.integer({ min: 1, max: 30 }),
    count: fc.integer({ min: 1, max: 8 }),
  });

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      journals += 1;
      const journal = `j${journals}`;
      const journalId = await rows.journal(deviceId, journal);
      const stored = new Set<number>();
      let through = 0;
      for (const { stored: isStored, first, count } of steps) {
        const last = first + count - 1;
        const sequences = Array.from({ length: count }, (_, index) => first + index);
        if (isStored) {
          const fresh = sequences.filter((sequence) => !stored.has(sequence));
          for (const sequence of fresh) stored.add(sequence);
          await rows.crossings(
            fresh.map((sequence) => ({ journalId, deviceId, storeId, sequence, at: sequence, direction: 1 })),
          );
        }
        const told: SettledRange = isStored
          ? { deviceId, journal, first: 1, last: 0 }
          : { deviceId, journal, first, last };
        const settled = isStored ? stored : new Set([...stored, ...sequences]);
        while (settled.has(through + 1)) through += 1;
        expect(await advanceProgress(database.pool, [told])).toEqual([
          { deviceId, journal, through, more: false },
        ]);
      }
    }),
    { numRuns: 40 },
  );
  await database.close();
});

test('a long journal is gone through piece by piece, a long range at once, an unknown journal not at all', async () => {
  const url = await testDatabase();
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S-1' });
  const deviceId = await rows.device({ companyId, storeId, serial: 'CU-1' });
  const journalId = await rows.journal(deviceId, 'long');
  await rows.journal(deviceId, 'freed');
  await rows.query(
    `insert into crossing (journal_id, device_id, sequence, at, store_id, direction)
     select $1, $2, n, now(), $3, 1 from generate_series(1, 12000) n`,
    [journalId, deviceId, storeId],
  );
  const { pool, close } = connect(url, { applicationName: 'test progress' });
  const ask = (journal: string, first = 1, last = 0) =>
    advanceProgress(pool, [{ deviceId, journal, first, last }]);

  expect(await ask('long')).toEqual([{ deviceId, journal: 'long', through: 10_000, more: true }]);
  expect(await ask('long')).toEqual([{ deviceId, journal: 'long', through: 12_000, more: false }]);
  expect(await ask('freed', 1, 5_000_000_000)).toMatchObject([{ through: 5_000_000_000 }]);
  expect(await ask('freed')).toMatchObject([{ through: 5_000_000_000 }]);
  expect(await ask('unknown', 1, 3)).toEqual([]);
  await close();
});

test('a journal that begins with a rejected message is freed, and one beyond the limit of a device is not added', async () => {
  const url = await testDatabase();
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S-1' });
  const deviceId = await rows.device({ companyId, storeId, serial: 'CU-1' });
  const { pool, close } = connect(url, { applicationName: 'test progress' });
  const limits = { crossingsPerDay: 1e6, crossingsPer30Days: 1e6, journalsPerDay: 2, journals: 100 };
  const advance = (journal: string, first: number, last: number, isReceived = true) =>
    advanceProgress(pool, [{ deviceId, journal, first, last, isReceived }], limits);

  expect(await advance('reported', 1, 5, false)).toEqual([]);
  expect(await advance('rejected', 1, 5)).toEqual([
    { deviceId, journal: 'rejected', through: 5, more: false },
  ]);
  const journalId = await rows.journal(deviceId, 'rejected');
  await rows.crossings([{ journalId, deviceId, storeId, sequence: 6, at: 6, direction: 1 }]);
  expect(await advance('rejected', 6, 6)).toMatchObject([{ through: 6 }]);
  expect(await advance('second', 1, 1)).toMatchObject([{ through: 1 }]);
  expect(await advance('third', 1, 1)).toEqual([]);
  await close();
});
