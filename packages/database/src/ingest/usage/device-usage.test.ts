import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DeviceUsage, dayOf } from './device-usage.ts';

const dayLength = 24 * 60 * 60 * 1_000;
const limits = { crossingsPerDay: 5, crossingsPer30Days: 12 };

/** Crossings of a few days, and on which day they arrive. */
const message = fc.record({
  later: fc.integer({ min: 0, max: 12 }),
  days: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 8 }),
});

/** Of each stored crossing the day of its instant and of its arrival: a second count, by the definition. */
type Stored = { readonly crossed: number; readonly arrived: number }[];

const crossedOn = (stored: Stored, day: number) => stored.filter(({ crossed }) => crossed === day).length;
const arrivedUntil = (stored: Stored, today: number) =>
  stored.filter(({ arrived }) => arrived <= today && arrived > today - 30).length;

test('stores a crossing exactly when both of its limits have room, whatever arrives in which order', () => {
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 40 }),
      fc.integer({ min: 0, max: 40 }),
      (messages, restart) => {
        let usage = new DeviceUsage();
        const stored: Stored = [];
        let today = 100;
        for (const [index, { later, days }] of messages.entries()) {
          today += later;
          const crossings = days.map((day, place) => ({ at: (today - day) * dayLength + place }));
          const room = usage.hasRoomFor(crossings.length, limits, today);
          const excess = usage.excess(crossings, limits, today);
          if (room) expect(excess.every((reason) => reason === undefined)).toBe(true);
          for (const [place, { at }] of crossings.entries()) {
            const day = dayOf(at);
            const mayBeStored =
              crossedOn(stored, day) < limits.crossingsPerDay &&
              arrivedUntil(stored, today) < limits.crossingsPer30Days;
            expect(excess[place] === undefined).toBe(mayBeStored);
            if (excess[place] !== undefined) continue;
            stored.push({ crossed: day, arrived: today });
            usage.add({ day, crossed: 1, arrived: 0 });
            usage.add({ day: today, crossed: 0, arrived: 1 });
          }
          /* A gateway that starts again reads what was counted. */
          if (index === restart) usage = usageOf(stored);
        }
      },
    ),
  );
});

function usageOf(stored: Stored): DeviceUsage {
  const days = new Set(stored.flatMap(({ crossed, arrived }) => [crossed, arrived]));
  return new DeviceUsage(
    [...days].map((day) => ({
      day,
      crossed: crossedOn(stored, day),
      arrived: stored.filter(({ arrived }) => arrived === day).length,
    })),
  );
}

test('never rejects what a very busy door counts in a year, delivered within an hour after every 30 days', () => {
  const usual = { crossingsPerDay: 100_000, crossingsPer30Days: 2_000_000 };
  const usage = new DeviceUsage();
  for (let today = 30; today <= 360; today += 30) {
    for (let day = today - 29; day <= today; day += 1) {
      expect(usage.hasRoomFor(10_000, usual, today)).toBe(true);
      usage.add({ day, crossed: 10_000, arrived: 0 });
      usage.add({ day: today, crossed: 0, arrived: 10_000 });
    }
  }
});
