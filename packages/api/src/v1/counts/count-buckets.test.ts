import { enterEntry } from '@visitor-counter/database/entries/entries';
import { countOccupancy } from '@visitor-counter/database/occupancy/count-occupancy';
import { openSnapshot } from '@visitor-counter/database/sql/snapshot';
import { type Bucket, bucketsOf } from '@visitor-counter/domain/buckets';
import type { Direction } from '@visitor-counter/domain/crossing';
import { kim } from '@visitor-counter/test/author';
import { connected } from '@visitor-counter/test/connected';
import { projected } from '@visitor-counter/test/projected';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import fc from 'fast-check';
import { expect, test } from 'vitest';

/* Clocks are set back in Berlin in the second night. */
const begin = Date.parse('2026-10-23T22:00:00Z');
const berlin = { timeZone: 'Europe/Berlin', dayStartsAt: '00:00' };
const lordHowe = { timeZone: 'Australia/Lord_Howe', dayStartsAt: '04:15' };

interface Event {
  readonly at: number;
  /** Undefined for a correction. */
  readonly direction: Direction | undefined;
  readonly people: number;
}

const event = fc.record({
  at: fc.nat(80 * 60).map((minutes) => begin + minutes * 60_000),
  direction: fc.option(fc.constantFrom<Direction>(1, -1), { nil: undefined, freq: 20 }),
  people: fc.nat(20),
});

test('counts from the projection what the crossings and corrections say, one after the other', async () => {
  const url = await testDatabase();
  const database = connected(url);
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const credentialId = await rows.credential({ companyId, kind: 'staff', value: 'token' });
  let stores = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 120 }), fc.nat(80 * 60), async (events, minutes) => {
      const now = begin + minutes * 60_000;
      const calendar = stores % 3 === 2 ? lordHowe : berlin;
      const storeId = await rows.store({ companyId, sid: `S-${stores}`, ...calendar });
      const deviceId = await rows.device({ companyId, storeId, serial: `CU-${stores}` });
      const journalId = await rows.journal(deviceId, 'j');
      stores += 1;
      const inOrder = events.toSorted(
        (a, b) => a.at - b.at || Number(a.direction === undefined) - Number(b.direction === undefined),
      );
      await rows.crossings(
        inOrder.flatMap(({ at, direction }, n) =>
          direction ? [{ journalId, deviceId, storeId, sequence: n + 1, at, direction }] : [],
        ),
      );
      for (const { at, direction, people } of inOrder) {
        const entry = { storeId, at, people, author: kim, note: '', credentialId };
        if (direction === undefined) await enterEntry(database.kysely, 'correction', entry);
      }
      await projected(url);
      for (const size of ['15min', 'hour', 'day'] as const) {
        const buckets = bucketsOf(calendar, { from: '2026-10-24', to: '2026-10-27' }, size);
        await using snapshot = await openSnapshot(database);
        const [counted] = await countOccupancy(snapshot.db, [{ storeId, buckets }], now);
        expect(counted).toEqual(countPlainly(inOrder, buckets, now));
      }
    }),
    { numRuns: 30, endOnFailure: true },
  );
});

function countPlainly(events: readonly Event[], buckets: readonly Bucket[], now: number) {
  let occupancy = 0;
  let date = '';
  return buckets.map((bucket) => {
    if (bucket.date !== date) occupancy = 0;
    date = bucket.date;
    const counts = { in: 0, out: 0, occupancy, peak: occupancy, corrections: [] as object[] };
    for (const { at, direction, people } of events) {
      if (at < bucket.from || at >= bucket.to || at > now) continue;
      if (direction === 1) counts.in += 1;
      if (direction === -1) counts.out += 1;
      if (direction === undefined) counts.corrections.push({ at, people, was: occupancy });
      occupancy = direction === undefined ? people : Math.max(0, occupancy + direction);
      counts.peak = Math.max(counts.peak, occupancy);
    }
    return {
      ...counts,
      occupancy,
      corrections: counts.corrections.map((correction) => expect.objectContaining(correction)),
    };
  });
}
