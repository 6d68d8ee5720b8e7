import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joined, type Range, sizeOf, splitAfter, subtract } from './ranges.ts';

const range = fc.tuple(fc.nat(40), fc.nat(6)).map(([first, more]) => ({ first, last: first + more }));

test('merges, subtracts and splits ranges as sets of sequences', () => {
  fc.assert(
    fc.property(fc.array(range), fc.array(range), fc.nat(50), (some, known, end) => {
      const apart = joined(some);
      const [before, after] = splitAfter(apart, end);
      const taken = new Set(sequences(known));
      const all = [...new Set(sequences(some))].toSorted((a, b) => a - b);

      expect(sequences(apart)).toEqual(all);
      expect(sizeOf(apart)).toBe(all.length);
      expect(sequences(subtract(apart, known))).toEqual(all.filter((one) => !taken.has(one)));
      expect(sequences(before)).toEqual(all.filter((one) => one <= end));
      expect(sequences(after)).toEqual(all.filter((one) => one > end));
    }),
  );
});

function sequences(ranges: readonly Range[]): number[] {
  return ranges.flatMap(({ first, last }) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index),
  );
}
