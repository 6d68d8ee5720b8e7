import { compareCodePoints } from '@visitor-counter/domain/crossing';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CrossingRow, inOrderOfEffect } from './crossing-order.ts';

/** Names whose order is not that of their ids. */
const names = new Map([
  [1, 'b'],
  [2, 'B'],
  [3, 'ä'],
  [4, 'a'],
]);

const rows = fc.array(
  fc.record({
    at: fc.nat({ max: 3 }),
    device_id: fc.constantFrom(1, 2),
    journal_id: fc.constantFrom(1, 2, 3, 4),
    sequence: fc.nat({ max: 12 }).map(String),
    direction: fc.constantFrom<1 | -1>(1, -1),
  }),
);

const inIndexOrder = (a: CrossingRow, b: CrossingRow) =>
  a.at - b.at ||
  a.device_id - b.device_id ||
  a.journal_id - b.journal_id ||
  Number(a.sequence) - Number(b.sequence);

const inEffectOrder = (a: CrossingRow, b: CrossingRow) =>
  a.at - b.at ||
  a.device_id - b.device_id ||
  compareCodePoints(names.get(a.journal_id) ?? '', names.get(b.journal_id) ?? '') ||
  Number(a.sequence) - Number(b.sequence);

async function* batchesOf(given: readonly CrossingRow[], size: number) {
  for (let start = 0; start < given.length; start += size) yield given.slice(start, start + size);
}

test('orders journals of one millisecond by name, however the rows are batched', async () => {
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 7 }), async (given, size) => {
      const read: CrossingRow[] = [];
      const batches = batchesOf(given.toSorted(inIndexOrder), size);
      for await (const batch of inOrderOfEffect(batches, async () => names)) read.push(...batch);
      expect(read).toEqual(given.toSorted(inEffectOrder));
    }),
  );
});

test('asks for no names where no two journals meet', async () => {
  const row = { device_id: 1, journal_id: 1, sequence: '1', direction: 1 } as const;
  const batches = batchesOf(
    [
      { ...row, at: 1 },
      { ...row, at: 2, journal_id: 2 },
    ],
    1,
  );
  const ask = () => Promise.reject(new Error('asked'));
  for await (const batch of inOrderOfEffect(batches, ask)) expect(batch.length).toBeLessThanOrEqual(1);
});
