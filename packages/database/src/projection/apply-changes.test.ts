import {
  composeStretches,
  crossingStretch,
  type Folded,
  foldActs,
  nothingFolded,
} from '@visitor-counter/domain/occupancy';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addCrossing, type Change, type DeviceCounts, sumOfCounts } from '../occupancy/change.ts';
import { keyOfQuarter } from '../occupancy/quarter.ts';
import { applyChanges } from './apply-changes.ts';

const quarter = { storeId: 1, quarter: 7 };
const key = keyOfQuarter(quarter);

/** A transaction: what it adds, in order; or it removes the first `removes` crossings. */
const transaction = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(fc.record({ at: fc.nat(60), isIn: fc.boolean(), device: fc.nat(2) }), {
      minLength: 1,
      maxLength: 5,
    }),
  },
  { weight: 1, arbitrary: fc.record({ removes: fc.integer({ min: 1, max: 5 }) }) },
);

interface Stored {
  readonly at: number;
  readonly direction: 1 | -1;
  readonly device: number;
}

function plainCounts(stored: readonly Stored[]): DeviceCounts {
  const counts = {};
  for (const { device, direction } of stored) addCrossing(counts, device, direction);
  return counts;
}

function plainly(stored: readonly Stored[]): Folded {
  const acts = stored
    .toSorted((a, b) => a.at - b.at || b.direction - a.direction)
    .map(({ at, direction }) => ({ at, stretch: crossingStretch(direction) }));
  return foldActs(nothingFolded, acts);
}

test('equals the plain fold for any transactions, and any rounds of the projector between them', () => {
  let composed = 0;
  let read = 0;
  fc.assert(
    fc.property(
      fc.array(fc.record({ transaction, isSeen: fc.boolean(), hasRound: fc.boolean() }), { maxLength: 20 }),
      (steps) => {
        let stored: Stored[] = [];
        let records: Change[] = [];
        let state = nothingFolded;
        let counts: DeviceCounts = {};
        for (const [index, { transaction: some, isSeen, hasRound }] of steps.entries()) {
          if ('removes' in some) {
            stored = stored.slice(some.removes);
            records.push(quarter);
          } else {
            const added = some
              .map(({ at, isIn, device }): Stored => ({ at, direction: isIn ? 1 : -1, device }))
              .toSorted((a, b) => a.at - b.at || b.direction - a.direction);
            stored = [...stored, ...added];
            const stretch = added.map(({ direction }) => crossingStretch(direction)).reduce(composeStretches);
            const [first, last] = [added[0]?.at ?? 0, added.at(-1)?.at ?? 0];
            records.push({ ...quarter, stretch, first, last, devices: plainCounts(added) });
          }
          const isLast = index === steps.length - 1;
          if (!hasRound && !isLast) continue;
          /* A round may apply fewer records than there are; what it reads contains all of them. */
          const count = isSeen || isLast ? records.length : records.length - 1;
          const applied = applyChanges(
            new Map([[key, { folded: state, base: undefined }]]),
            records.slice(0, count),
          );
          records = records.slice(count);
          composed += applied.composed.length;
          read += applied.toRead.length;
          const [one] = applied.composed;
          state = one?.folded ?? (applied.toRead.length > 0 ? plainly(stored) : state);
          counts = one
            ? sumOfCounts(counts, one.devices)
            : applied.toRead.length > 0
              ? plainCounts(stored)
              : counts;
        }
        expect(state).toEqual(plainly(stored));
        expect(counts).toEqual(plainCounts(stored));
      },
    ),
    { numRuns: 2_000 },
  );
  expect(Math.min(composed, read)).toBeGreaterThan(0);
});

test('composes an addition that begins after everything its quarter contains, and reads the quarter of one that does not', () => {
  const stretch = { sum: 2, floor: 0, peakSum: 3, peakFloor: 0 };
  const base = { until: 40, folded: { stretch, latest: 39 }, devices: {} };
  const before = new Map([[key, { folded: { stretch, latest: 100 }, base }]]);
  const devices = { 5: [0, 1] } as const;
  const exit = { ...quarter, stretch: crossingStretch(-1), last: 105, devices };
  expect(applyChanges(before, [{ ...exit, first: 101 }])).toEqual({
    composed: [{ ...quarter, folded: { stretch: { ...stretch, sum: 1 }, latest: 105 }, base, devices }],
    toRead: [],
  });
  const overlapping = [100, 60, 90].map((first) => ({ ...exit, first }));
  expect(applyChanges(before, overlapping)).toEqual({
    composed: [],
    toRead: [{ ...quarter, first: 60, latest: 100, base }],
  });
  expect(applyChanges(before, [...overlapping, quarter])).toEqual({
    composed: [],
    toRead: [{ ...quarter, first: Number.NEGATIVE_INFINITY, latest: 100, base }],
  });
});

test('adds to a final quarter whenever that happened, and never reads it', () => {
  const stretch = { sum: 2, floor: 0, peakSum: 3, peakFloor: 0 };
  const before = new Map([[key, { folded: { stretch, latest: 100 }, base: undefined, isFinal: true }]]);
  const exit = { ...quarter, stretch: crossingStretch(-1), first: 60, last: 60, devices: {} };
  expect(applyChanges(before, [quarter, exit])).toMatchObject({
    composed: [{ folded: { stretch: { sum: 1 }, latest: 100 } }],
    toRead: [],
  });
});
