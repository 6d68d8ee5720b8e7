import { compareCrossings, type PlacedCrossing } from '@visitor-counter/domain/crossing';
import { noParts } from '@visitor-counter/domain/occupancy-parts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RememberedQuarters } from './remembered-quarters.ts';

const begin = Date.parse('2026-11-21T09:00:00Z');

const crossing = fc.record({
  at: fc.integer({ min: begin + 1_000, max: begin + 1_400 }),
  direction: fc.constantFrom(1 as const, -1 as const),
  device: fc.integer({ min: 1, max: 3 }),
  journal: fc.constantFrom('a', 'b'),
});

/** Transactions on one quarter: ours or another process's, committed or rolled back. */
const transaction = fc.record({
  crossings: fc.oneof(
    { weight: 9, arbitrary: fc.array(crossing, { minLength: 1, maxLength: 120 }) },
    { weight: 1, arbitrary: fc.array(crossing, { minLength: 1_100, maxLength: 1_400, size: 'max' }) },
    /* More of one instant than are kept. */
    fc
      .array(crossing, { minLength: 1, maxLength: 300, size: 'max' })
      .map((all) => all.map((one) => ({ ...one, at: begin + 1_200 }))),
  ),
  ours: fc.boolean().map((other) => !other),
  committed: fc.integer({ min: 0, max: 9 }).map((number) => number > 0),
});

test('knows the crossings behind an instant exactly, or says that it does not', () => {
  let answered = 0;
  fc.assert(
    fc.property(fc.array(transaction, { maxLength: 30 }), fc.nat(450), (transactions, back) => {
      const remembered = new RememberedQuarters();
      let stored: PlacedCrossing[] = [];
      let writtenBy = '';
      for (const [index, { crossings, ours, committed }] of transactions.entries()) {
        const writer = String(index);
        /* A device may begin a new journal at any time. */
        const added = crossings.map((one, sequence) => ({
          ...one,
          journal: `${one.journal}${index % 7}`,
          sequence: 2 ** 52 + index * 2_000 + sequence,
        }));
        const latest = stored.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
        const before = { state: { ...noParts, latest }, writtenBy };
        const addition = {
          before,
          added: added.toSorted(compareCrossings),
          state: noParts,
          writtenBy: writer,
        };
        if (ours) remembered.remember('q', addition);
        if (committed) {
          stored = [...stored, ...added].sort(compareCrossings);
          writtenBy = writer;
        }
        const from = begin + 1_450 - back;
        const known = remembered.since('q', writtenBy, from);
        if (known === undefined) continue;
        answered += 1;
        expect(known).toEqual(stored.filter(({ at }) => at >= from));
      }
    }),
  );
  expect(answered).toBeGreaterThan(0);
});

test('remembers so many crossings in all, however many quarters there are', () => {
  const remembered = new RememberedQuarters();
  const quarters = Array.from({ length: 600 }, (_, index) => `q${index}`);
  for (const quarter of quarters) {
    for (let part = 0; part < 4; part += 1) {
      const added = Array.from({ length: 50 }, (_, index) => ({
        ...{ at: 1_000 + 50 * part + index, direction: 1 as const },
        ...{ device: 1, journal: 'a', sequence: 50 * part + index },
      }));
      const before = { state: noParts, writtenBy: String(part - 1) };
      remembered.remember(quarter, { before, added, state: noParts, writtenBy: String(part) });
    }
  }

  const known = quarters.filter((quarter) => remembered.since(quarter, '3', 0) !== undefined);
  expect(known).toEqual(quarters.slice(-Math.floor(50_000 / 201)));
});
