import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { contactOf, LiveState, patience, pauseBefore } from './live.ts';

test('shows numbers as live only after a recent event that reports them as fresh', () => {
  expect(contactOf({ at: undefined, fresh: true }, 0)).toBe('connecting');
  expect(contactOf({ at: 0, fresh: true }, patience)).toBe('live');
  expect(contactOf({ at: 0, fresh: false }, patience)).toBe('stale');
  expect(contactOf({ at: 0, fresh: true }, patience + 1)).toBe('lost');
  expect(contactOf({ at: 0, fresh: false }, patience + 1)).toBe('lost');
});

test('bounds the pauses between attempts and randomises their full length', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (attempt, random) => {
        const pause = pauseBefore(attempt, random);
        expect(pause).toBeGreaterThanOrEqual(0);
        expect(pause).toBeLessThanOrEqual(30_000);
      },
    ),
  );
  expect([1, 2, 3, 50].map((attempt) => pauseBefore(attempt, 1))).toEqual([2_000, 4_000, 8_000, 30_000]);
});

const hour = 3_600_000;

test.each([
  ['old events arrive after the device has slept', 3 * hour, 2 * hour + 5_000],
  ['the clock of the device is set', 2 * hour + 5_000, 2 * hour + 5_000],
])('connects again, and keeps no wrong clock of the server, when %s', async (_, serverTime, eventTime) => {
  const sources: EventTarget[] = [];
  vi.stubGlobal('EventSource', function open() {
    const source = Object.assign(new EventTarget(), { close: () => {} });
    sources.push(source);
    return source;
  });
  vi.useFakeTimers({ now: 0 });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const live = new LiveState();
  live.listen(() => {});
  const beat = (at: number) => {
    const data = JSON.stringify({ at: new Date(at).toISOString(), fresh: true });
    sources.at(-1)?.dispatchEvent(new MessageEvent('beat', { data }));
  };

  beat(2 * hour);
  expect([live.serverTime(), live.contact.value]).toEqual([2 * hour, 'live']);
  vi.setSystemTime(hour);
  beat(eventTime);
  expect(sources).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect([sources.length, live.contact.value]).toEqual([2, 'lost']);
  beat(serverTime + 2_000);

  expect([live.serverTime(), live.contact.value]).toEqual([serverTime + 2_000, 'live']);
});
