import { compareCodePoints } from '@visitor-counter/domain/crossing';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type CrossingColumns,
  columnsInOrderOfEffect,
  orderOfEffect,
  type ReadCrossing,
} from './crossing-order.ts';

/** Names whose order is not that of their ids. */
const names = new Map([
  [1, 'b'],
  [2, 'B'],
  [3, 'ä'],
  [4, 'a'],
]);

/** Journals 1 and 2 are of device 1, the others of device 2. */
const deviceOf = (journal: number) => (journal < 3 ? 1 : 2);
const journals = async () => [...names].map(([id, name]) => ({ id, name, device_id: deviceOf(id) }));

const rows = fc
  .uniqueArray(
    fc.record({
      at: fc.nat({ max: 3 }),
      journal_id: fc.constantFrom(1, 2, 3, 4),
      sequence: fc.nat({ max: 12 }),
      direction: fc.constantFrom<1 | -1>(1, -1),
    }),
    { selector: ({ journal_id, sequence }) => `${journal_id} ${sequence}` },
  )
  .map((given) => given.map((row) => ({ ...row, device_id: deviceOf(row.journal_id) })));

/** A crossing with its number in the journal. */
interface Numbered extends ReadCrossing {
  readonly sequence: number;
}

const inIndexOrder = (a: Numbered, b: Numbered) =>
  a.at - b.at || a.device_id - b.device_id || a.journal_id - b.journal_id || a.sequence - b.sequence;

const inEffectOrder = (a: Numbered, b: Numbered) =>
  a.at - b.at ||
  a.device_id - b.device_id ||
  compareCodePoints(names.get(a.journal_id) ?? '', names.get(b.journal_id) ?? '') ||
  a.sequence - b.sequence;

function columnsOf(given: readonly ReadCrossing[]): CrossingColumns {
  return {
    length: given.length,
    at: Float64Array.from(given, ({ at }) => at),
    signedJournal: Int32Array.from(given, ({ direction, journal_id }) => direction * journal_id),
  };
}

test('orders crossings of one millisecond by journal name, as rows and as columns', async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (given) => {
      const sorted = given.toSorted(inIndexOrder);
      const columns = columnsOf(sorted);
      await columnsInOrderOfEffect(columns, journals);
      const expected = given.toSorted(inEffectOrder);
      expect(await orderOfEffect(sorted, journals)).toEqual(expected);
      expect(columns).toEqual(columnsOf(expected));
    }),
  );
});

test('reads no journal names if no two journals share a millisecond', async () => {
  const row = { device_id: 1, journal_id: 1, direction: 1 } as const;
  const apart = [
    { ...row, at: 1 },
    { ...row, at: 2, journal_id: 2 },
  ];
  const ask = () => Promise.reject(new Error('asked'));

  expect(await orderOfEffect(apart, ask)).toEqual(apart);
  await columnsInOrderOfEffect(columnsOf(apart), ask);
});
