import { clockText } from '@visitor-counter/domain/time';
import { addDays, type IsoDate, instantOfWallClock } from '@visitor-counter/domain/time-zone';
import type { Traffic, TrafficProfile } from './traffic-profile.ts';

/** The time zone and the days in which a profile is played. */
export interface Schedule {
  readonly timeZone: string;
  /** The local date on which day 0 is played. */
  readonly startsOn: IsoDate;
  /** Day shifts laid over one another: each plays day (n + shift) of the profile on local day n. */
  readonly overlays: readonly number[];
}

/** People to be played between two instants (epoch ms): [`start`, `end`). */
export interface Slot {
  readonly start: number;
  readonly end: number;
  readonly in: number;
  readonly out: number;
}

/** The slots of a local day, and the instant (epoch ms) at which the next one begins. */
export interface DayOfSlots {
  readonly slots: readonly Slot[];
  readonly end: number;
}

/**
 * The intervals with traffic, from local day `firstDay` on, without end, in order of time, day by day.
 *
 * A local time that occurs twice is played at its first occurrence, one that does not exist moves forward. If
 * a moved interval falls on the instant of another one, also of a later day (zones that skipped a whole
 * date), the two are played as one.
 */
export function* slotsByDay(
  profile: TrafficProfile,
  schedule: Schedule,
  firstDay: number,
): Generator<DayOfSlots> {
  const length = profile.interval * 60_000;
  let pending = new Map<number, Slot>();
  for (let day = firstDay; ; day += 1) {
    const date = addDays(schedule.startsOn, day);
    const nextMidnight = instantOfWallClock(`${addDays(date, 1)}T00:00`, schedule.timeZone);
    const instantOf = wallClockOf(date, nextMidnight, schedule.timeZone);
    for (const traffic of trafficOf(profile, schedule.overlays, day)) {
      const start = instantOf(traffic.minute);
      const there = pending.get(start);
      const counts = { in: traffic.in + (there?.in ?? 0), out: traffic.out + (there?.out ?? 0) };
      pending.set(start, { start, end: start + length, ...counts });
    }
    const slots = [...pending.values()].sort((a, b) => a.start - b.start);
    const ready = slots.filter(({ start }) => start < nextMidnight);
    pending = new Map(slots.slice(ready.length).map((slot) => [slot.start, slot]));
    yield { slots: ready.map((slot, index) => endingBefore(slot, ready[index + 1])), end: nextMidnight };
  }
}

/** Two intervals start at the same instant if the clocks moved by less than one. */
function endingBefore(slot: Slot, next: Slot | undefined): Slot {
  return next && next.start < slot.end ? { ...slot, end: next.start } : slot;
}

/** The sums of all overlays on a local day, one for each minute of the day at which any has traffic. */
function trafficOf(profile: TrafficProfile, overlays: readonly number[], day: number): Traffic[] {
  const sums = new Map<number, Traffic>();
  for (const shift of overlays) {
    const played = (((day + shift) % profile.days) + profile.days) % profile.days;
    for (const { minute, in: entries, out: exits } of profile.traffic.get(played) ?? []) {
      const sum = sums.get(minute);
      sums.set(minute, { minute, in: entries + (sum?.in ?? 0), out: exits + (sum?.out ?? 0) });
    }
  }
  return [...sums.values()].filter((sum) => sum.in + sum.out > 0);
}

/** Converts every time by the zone only on days on which the clocks change. */
function wallClockOf(date: IsoDate, nextMidnight: number, timeZone: string): (minute: number) => number {
  const midnight = instantOfWallClock(`${date}T00:00`, timeZone);
  if (nextMidnight - midnight === 86_400_000) return (minute) => midnight + minute * 60_000;
  return (minute) => instantOfWallClock(`${date}T${clockText(minute)}`, timeZone);
}
