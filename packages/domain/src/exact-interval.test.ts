import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exactInterval } from './exact-interval.ts';

test.each([
  [0, 10, 0, 0.308_497_1],
  [1, 20, 0.001_265_089, 0.248_732_8],
  [5, 100, 0.016_431_88, 0.112_834_9],
  [10, 10, 0.691_502_9, 1],
])('has the limits of Clopper and Pearson for %i of %i', (successes, trials, low, high) => {
  const interval = exactInterval(successes, trials);
  expect(interval.low).toBeCloseTo(low, 5);
  expect(interval.high).toBeCloseTo(high, 5);
});

test('has limits beyond which the observed number has a probability of 2.5 %', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.double({ min: 0, max: 1, noNaN: true }), (n, share) => {
      const successes = Math.round(n * share);
      const { low, high } = exactInterval(successes, n);
      if (successes > 0) expect(1 - binomialAtMost(successes - 1, n, low)).toBeCloseTo(0.025, 6);
      if (successes < n) expect(binomialAtMost(successes, n, high)).toBeCloseTo(0.025, 6);
    }),
    { numRuns: 50 },
  );
});

/** The probability of at most `most` successes, by adding up all of them. */
function binomialAtMost(most: number, n: number, p: number): number {
  let term = n * Math.log1p(-p);
  let sum = Math.exp(term);
  for (let k = 1; k <= most; k += 1) {
    term += Math.log((n - k + 1) / k) + Math.log(p) - Math.log1p(-p);
    sum += Math.exp(term);
  }
  return sum;
}
