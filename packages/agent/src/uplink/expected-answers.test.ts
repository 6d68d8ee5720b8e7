import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { RoundTrips, Watchdog } from './expected-answers.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
});

test('reports silence only when an answer is expected and none arrives in time', () => {
  let silences = 0;
  const watchdog = new Watchdog(100, () => {
    silences += 1;
  });
  watchdog.expectAnswer();
  vi.advanceTimersByTime(99);
  watchdog.expectAnswer();
  watchdog.answered();
  vi.advanceTimersByTime(99);
  watchdog.answered();
  vi.advanceTimersByTime(1_000);
  expect(silences).toBe(0);

  watchdog.expectAnswer();
  vi.advanceTimersByTime(99);
  watchdog.expectAnswer();
  expect(silences).toBe(0);
  vi.advanceTimersByTime(1);
  expect(silences).toBe(1);
});

test('measures the time until an answer, also after one that was lost', () => {
  const trips = new RoundTrips();
  expect(trips.answerReceived()).toBeUndefined();
  trips.requestSent();
  vi.advanceTimersByTime(60_000);
  trips.requestSent();
  vi.advanceTimersByTime(40);
  expect(trips.answerReceived()).toBe(40);
  expect(trips.answerReceived()).toBeUndefined();
});
