import { earliestInstant, maxUncertainty } from '@visitor-counter/wire/limits';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { monotonicMs } from '../clock/time.ts';
import type { UndatedBoot } from '../journal/boots.ts';
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

/** Boots as they were: each begins some time after the one before has ended, and lasts for a while. */
const history = fc.array(
  fc.record({
    off: fc.integer({ min: 0, max: 1_000 * hour }),
    lasts: fc.integer({ min: 0, max: 500 * hour }),
  }),
  { minLength: 1, maxLength: 6 },
);

test('the true time of every crossing is within the reported uncertainty', () => {
  fc.assert(
    fc.property(history, fc.boolean(), (boots, knowsBefore) => {
      let shutdown = start;
      let claimed = start - 400 * hour;
      const begins: number[] = [];
      const undated: UndatedBoot[] = boots.map(({ off, lasts }, index) => {
        const begin = shutdown + off;
        begins.push(begin);
        const boot = {
          boot: String(index),
          claimed,
          last: monotonicMs(lasts),
          after: knowsBefore ? start : 0,
        };
        shutdown = begin + lasts;
        claimed += lasts;
        return boot;
      });
      const present = { boot: 'now', offset: shutdown + hour, uncertainty: 0 };
      const dated = estimateBootTimes(undated, present);
      expect(dated.map(({ boot }) => boot)).toEqual(undated.map(({ boot }) => boot));
      for (const [index, { offset, uncertainty }] of dated.entries()) {
        expect(Math.abs(offset - (begins[index] ?? 0))).toBeLessThanOrEqual(uncertainty);
      }
    }),
  );
});
