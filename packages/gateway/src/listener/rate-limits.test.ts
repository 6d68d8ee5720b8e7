import { expect, test } from 'vitest';
import { RateLimits } from './socket-reader.ts';

test('pauses a device over all its connections, and no other device', () => {
  const rates = new RateLimits({ messagesPerSecond: 10, bytesPerSecond: 1_000 });

  rates.of(1, 0).pause(10_000, 0);

  expect(rates.of(1, 0).waitFor(0)).toBe(10_000);
  expect(rates.of(1, 9_999).waitFor(9_999)).toBe(1);
  expect(rates.of(1, 10_000).waitFor(10_000)).toBe(0);
  expect(rates.of(2, 0).waitFor(0)).toBe(0);
});
