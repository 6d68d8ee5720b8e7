import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Direction } from './crossing.ts';
import {
  composeStretches,
  correctionStretch,
  crossingStretch,
  emptyStretch,
  occupancyAfter,
  occupancyAtEnd,
  peakOccupancy,
  type Stretch,
} from './occupancy.ts';

const direction = fc.constantFrom<Direction>(1, -1);
const event = fc.oneof(
  { weight: 9, arbitrary: direction.map((value): Stretch => crossingStretch(value)) },
  { weight: 1, arbitrary: fc.nat(50).map((people): Stretch => correctionStretch(people)) },
);

test('stays at 0 after an exit from an empty store', () => {
  expect(occupancyAfter(0, -1)).toBe(0);
  expect(occupancyAfter(3, -1)).toBe(2);
  expect(occupancyAfter(0, 1)).toBe(1);
});

test('has the effect of its crossings one after the other, from any occupancy', () => {
  fc.assert(
    fc.property(fc.nat(100), fc.array(direction), (start, directions) => {
      const oneByOne = directions.reduce(occupancyAfter, start);
      const stretch = directions.map(crossingStretch).reduce(composeStretches, emptyStretch);
      expect(occupancyAtEnd(start, stretch)).toBe(oneByOne);
    }),
  );
});

test('composes crossings and corrections alike wherever they are split', () => {
  fc.assert(
    fc.property(fc.nat(100), fc.array(event), fc.array(event), fc.array(event), (start, a, b, c) => {
      const composed = (events: readonly Stretch[]) => events.reduce(composeStretches, emptyStretch);
      const [x, y, z] = [composed(a), composed(b), composed(c)];
      const left = composeStretches(composeStretches(x, y), z);
      const right = composeStretches(x, composeStretches(y, z));
      expect(left).toEqual(right);
      expect(occupancyAtEnd(start, left)).toBe([...a, ...b, ...c].reduce(occupancyAtEnd, start));
    }),
  );
});

test('sets the occupancy to a correction, and counts later crossings from there', () => {
  expect(occupancyAtEnd(17, correctionStretch(4))).toBe(4);
  expect(occupancyAtEnd(17, composeStretches(correctionStretch(4), crossingStretch(-1)))).toBe(3);
});

test('returns the highest occupancy of a stretch, including the one before it', () => {
  fc.assert(
    fc.property(fc.nat(100), fc.array(event), (start, events) => {
      let occupancy = start;
      let peak = start;
      for (const one of events) {
        occupancy = occupancyAtEnd(occupancy, one);
        peak = Math.max(peak, occupancy);
      }
      expect(peakOccupancy(start, events.reduce(composeStretches, emptyStretch))).toBe(peak);
    }),
  );
});
