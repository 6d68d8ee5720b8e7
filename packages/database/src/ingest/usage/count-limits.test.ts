import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dayOf, excessOf, hasRoomFor } from './count-limits.ts';

const dayLength = 24 * 60 * 60 * 1_000;
const limits = { crossingsPerDay: 5, crossingsPer30Days: 12 };

/** Crossings of a few days, how many days after the message before they arrive, and whether all is counted again then. */
const message = fc.record({
  later: fc.integer({ min: 0, max: 12 }),
  days: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 8 }),
  countAgain: fc.boolean(),
});

/** The days of the instant and of the arrival of each stored crossing. */
type Stored = { readonly crossed: number; readonly arrived: number }[];

const crossedOn = (stored: Stored, day: number) => stored.filter(({ crossed }) => crossed === day).length;
const arrivedUntil = (stored: Stored, today: number) =>
  stored.filter(({ arrived }) => arrived <= today && arrived > today - 30).length;
const mostOn = (stored: Stored) => Math.max(0, ...stored.map(({ crossed }) => crossedOn(stored, crossed)));

test('stores a crossing exactly if both limits have room, in any order of arrival', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 40 }), (messages) => {
      const stored: Stored = [];
      let today = 100;
      let usage = { most: 0, arrived: 0, since: 0 };
      for (const { later, days, countAgain } of messages) {
        today += later;
        if (countAgain) usage = { most: mostOn(stored), arrived: arrivedUntil(stored, today), since: 0 };
        const crossings = days.map((day, place) => ({ at: (today - day) * dayLength + place }));
        const touched = [...new Set(crossings.map(({ at }) => dayOf(at)))];
        const crossed = new Map(touched.map((day) => [day, crossedOn(stored, day)]));
        const reasons = excessOf(crossings, { crossed, arrived: arrivedUntil(stored, today) }, limits);
        if (hasRoomFor(usage, crossings.length, limits)) expect(reasons.some(Boolean)).toBe(false);
        for (const [place, { at }] of crossings.entries()) {
          const mayBeStored =
            crossedOn(stored, dayOf(at)) < limits.crossingsPerDay &&
            arrivedUntil(stored, today) < limits.crossingsPer30Days;
          expect(reasons[place] === undefined).toBe(mayBeStored);
          if (!mayBeStored) continue;
          stored.push({ crossed: dayOf(at), arrived: today });
          usage = { ...usage, since: usage.since + 1 };
        }
      }
    }),
  );
});

test('never rejects the crossings of a very busy door, delivered together after every 30 days', () => {
  const usual = { crossingsPerDay: 100_000, crossingsPer30Days: 2_000_000 };
  const stored = 30 * 10_000;
  for (let sent = 0; sent < stored; sent += 1_000) {
    const crossings = Array.from({ length: 1_000 }, () => ({ at: 100 * dayLength }));
    const crossed = new Map([[100, sent % 10_000]]);
    /* The crossings of the previous delivery may have arrived within the same 30 days. */
    expect(excessOf(crossings, { crossed, arrived: stored + sent }, usual).some(Boolean)).toBe(false);
  }
});
