import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TokenBucket } from './token-bucket.ts';

test('spends at most the burst and the rate when the caller waits for its debts', () => {
  const spending = fc.record({ tokens: fc.integer({ min: 1, max: 50 }), rest: fc.nat(2_000) });
  fc.assert(
    fc.property(fc.array(spending), fc.integer({ min: 1, max: 100 }), (spendings, rate) => {
      const bucket = new TokenBucket(100, rate, 0);
      let now = 0;
      let spent = 0;
      for (const { tokens, rest } of spendings) {
        now += rest + bucket.waitFor(now + rest);
        bucket.spend(tokens, now);
        spent += tokens;
        expect(spent - tokens).toBeLessThanOrEqual(100 + (now / 1_000) * rate + 1e-6);
      }
    }),
  );
});

test('adds and removes no tokens when the clock is set back', () => {
  const bucket = new TokenBucket(1, 1, 10_000);
  bucket.spend(1, 10_000);
  expect(bucket.hasOne(5_000)).toBe(false);
  expect(bucket.hasOne(6_000)).toBe(true);
});
