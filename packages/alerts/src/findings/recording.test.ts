import { driftOf } from '@visitor-counter/domain/door-drift';
import { longestSilence, silenceOf } from '@visitor-counter/domain/silence';
import { recordedHalfHours } from '@visitor-counter/test/recording';
import { expect, test } from 'vitest';

const begin = Date.UTC(2005, 6, 24);
const quarters = 105 * 96;

/** The counts of the real door in each quarter hour of local time; half hours are divided at random. */
function recording() {
  let seed = 7;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  const counts = { entries: new Array<number>(quarters).fill(0), exits: new Array<number>(quarters).fill(0) };
  for (const half of recordedHalfHours()) {
    const first = (Date.parse(`${half.local}Z`) - begin) / 900_000;
    for (const [list, people] of [
      [counts.entries, half.in],
      [counts.exits, half.out],
    ] as const)
      for (let n = 0; n < people; n += 1) {
        const quarter = first + (random() < 0.5 ? 0 : 1);
        list[quarter] = (list[quarter] ?? 0) + 1;
      }
  }
  return counts;
}

/** The quarter hours at whose ends the door is found silent, if it counts `counts`; each silence once. */
function alarmsOf(counts: readonly number[], from = 0, to = quarters): number[] {
  const door = { countIn: (quarter: number) => counts[quarter] ?? 0, isOpen: () => true, first: 0 };
  const alarms: number[] = [];
  let isSilent = false;
  for (let end = Math.max(1, from); end <= to; end += 1) {
    const silence = silenceOf({ ...door, end }, 6);
    if (silence && !isSilent) alarms.push(end);
    isSilent = silence !== undefined;
  }
  return alarms;
}

const { entries, exits } = recording();
const all = entries.map((count, index) => count + (exits[index] ?? 0));

test('calls a real door silent at most once a month', () => {
  const months = Map.groupBy(alarmsOf(all), (end) => new Date(begin + end * 900_000).getUTCMonth());
  expect(Math.max(0, ...[...months.values()].map(({ length }) => length))).toBeLessThanOrEqual(1);
});

test('finds within two and a half hours that a real door stops counting in a busy hour', () => {
  const stops = [5, 7, 9, 11, 13].flatMap((week) =>
    [1, 3, 5].flatMap((day) => [9, 11, 13, 15].map((hour) => (week * 7 + day) * 96 + hour * 4)),
  );
  for (const stop of stops) {
    const stopped = all.map((count, quarter) => (quarter < stop ? count : 0));
    const [found = Number.POSITIVE_INFINITY] = alarmsOf(stopped, stop, stop + longestSilence);
    expect(found - stop).toBeLessThanOrEqual(10);
  }
});

test('never finds that entries and exits of a real door drift apart, unless one direction is missed', () => {
  const sums = (to: number, days: number, missed = 0) => {
    const sum = (list: readonly number[]) =>
      list.slice(Math.max(0, to - days) * 96, to * 96).reduce((total, count) => total + count, 0);
    return { entries: sum(entries), exits: Math.round(sum(exits) * (1 - missed)) };
  };
  for (let day = 3; day <= 105; day += 1) {
    const before = sums(day - 7, 28);
    const driftWith = (missed: number, isOnly: boolean) =>
      driftOf({ lastThreeDays: sums(day, 3, missed), lastWeek: sums(day, 7, missed), before, isOnly });
    expect([day, driftWith(0, true), driftWith(0, false)]).toEqual([day, undefined, undefined]);
    const { entries: came, exits: left } = sums(day, 7, 0.5);
    if (came + left >= 400) expect([day, driftWith(0.5, true) !== undefined]).toEqual([day, true]);
    if (came + left >= 400 && day >= 35) expect(driftWith(0.5, false)).toBeDefined();
  }
});
