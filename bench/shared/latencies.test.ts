import { expect, test } from 'vitest';
import { Latencies } from './latencies.ts';

test('computes percentiles to within a thousandth', () => {
  const latencies = new Latencies();
  for (let latency = 1; latency <= 1_000; latency += 1) latencies.add(latency);
  const { count, p50, p99, max } = latencies.summary;
  expect(count).toBe(1_000);
  for (const [measured, exact] of [
    [p50, 500],
    [p99, 990],
    [max, 1_000],
  ] as const) {
    expect(Math.abs(measured - exact)).toBeLessThanOrEqual(exact / 1_000);
  }
});

test('returns no percentiles without samples', () => {
  expect(new Latencies().summary).toEqual({ count: 0, p50: 0, p99: 0, max: 0 });
});
