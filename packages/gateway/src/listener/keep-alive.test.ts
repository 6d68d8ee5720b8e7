import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type KeepAlive, startKeepAlive } from './keep-alive.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('reports no client while nothing is read from it', () => {
  const onTimeout = vi.fn();
  let isReading = false;
  startKeepAlive(10, () => isReading, onTimeout);

  vi.advanceTimersByTime(40_000);
  isReading = true;
  vi.advanceTimersByTime(4_999);
  expect(onTimeout).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onTimeout).toHaveBeenCalledOnce();
});

test.each([
  { what: 'with a keep-alive of 0', seconds: 0, end: () => {} },
  { what: 'after its end', seconds: 10, end: (keepAlive: KeepAlive) => keepAlive.close() },
])('reports no client $what', ({ seconds, end }) => {
  const onTimeout = vi.fn();
  end(startKeepAlive(seconds, () => true, onTimeout));

  vi.advanceTimersByTime(100_000);
  expect(onTimeout).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});
