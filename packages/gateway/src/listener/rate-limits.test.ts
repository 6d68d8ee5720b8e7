import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RateLimits } from './rate-limits.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const limits = { bytesPerSecond: 1_000, burstBytes: 60_000 };
const device = (deviceId: number) => ({ deviceId, serial: `CU-${deviceId}` });

test('limits a device over all its connections, and no other device', () => {
  const rates = new RateLimits(limits, () => {});
  const waitFor = (deviceId: number) => rates.of(device(deviceId)).waitFor(performance.now());

  rates.of(device(1)).spend(0, 70_000, performance.now());

  expect(waitFor(1)).toBe(10_000);
  vi.advanceTimersByTime(9_999);
  expect(waitFor(1)).toBe(1);
  vi.advanceTimersByTime(1);
  expect(waitFor(1)).toBe(0);
  expect(waitFor(2)).toBe(0);
});

test('slows a device down when its burst is used up, and reports that once a minute while it continues', () => {
  const exceeded: string[] = [];
  const rate = new RateLimits(limits, ({ serial }) => exceeded.push(serial)).of(device(1));
  const send = (bytes: number) => rate.spend(0, bytes, performance.now());
  send(60_000);
  expect([rate.waitFor(performance.now()), exceeded]).toEqual([0, []]);

  send(5_000);
  expect([rate.waitFor(performance.now()), exceeded]).toEqual([5_000, ['CU-1']]);
  vi.advanceTimersByTime(5_000);
  send(1_000);
  expect([rate.waitFor(performance.now()), exceeded]).toEqual([1_000, ['CU-1']]);
  vi.advanceTimersByTime(60_000);
  send(60_000);
  expect(exceeded).toEqual(['CU-1', 'CU-1']);
});
