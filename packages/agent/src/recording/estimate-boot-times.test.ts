import { earliestInstant, maxUncertainty } from '@visitor-counter/wire/limits';
import { expect, test } from 'vitest';
import { monotonicMs } from '../clock/time.ts';
import type { UndatedBoot } from '../journal/undated-boots.ts';
import { estimateBootTimes } from './determine-instants.ts';

const start = Date.UTC(2026, 0, 1);
const hour = 3_600_000;

test('a boot whose time was never known is between the last known instant before it and the begin of the next', () => {
  const lost = { boot: 'lost', claimed: 0, last: monotonicMs(1 * hour), after: start };
  const present = { boot: 'now', offset: start + 5 * hour, uncertainty: 7 };
  expect(estimateBootTimes([lost], present)).toEqual([
    { boot: 'lost', offset: start + 2 * hour, uncertainty: 2 * hour + 7 },
  ]);
});

const present = { boot: 'now', offset: start + 10 * hour, uncertainty: 0 };
const boot = (name: string, lasts: number, known: Partial<UndatedBoot>): UndatedBoot => ({
  boot: name,
  claimed: 0,
  last: monotonicMs(lasts * hour),
  after: 0,
  ...known,
});

test('estimates no instant, and no uncertainty, that the server would reject', () => {
  expect(estimateBootTimes([boot('one', 1, {})], present)).toEqual([
    { boot: 'one', offset: (earliestInstant + start + 9 * hour) / 2, uncertainty: maxUncertainty },
  ]);
});
