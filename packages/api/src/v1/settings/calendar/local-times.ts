import { twoDigits } from '@visitor-counter/domain/time';
import { type IsoDate, instantOfWallClock, isTimeZone } from '@visitor-counter/domain/time-zone';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import ICAL from 'ical.js';

/** An event has times in a zone that neither this runtime knows nor its calendar describes. */
export class UnknownZone extends Error {
  override readonly name = 'UnknownZone';
}

/** An occurrence of an event. */
export type Details = Pick<ReturnType<ICAL.Event['getOccurrenceDetails']>, 'item' | 'startDate' | 'endDate'>;

/** The begin and the end of an occurrence in the zone of the store, `YYYY-MM-DDTHH:MM`. */
export function localTimes(
  { item, startDate, endDate }: Details,
  calendar: ICAL.Component,
  timeZone: string,
): { readonly start: string; readonly end: string } {
  const startZone = zoneOf(item, 'dtstart');
  const endZone = zoneOf(item, 'dtend') ?? startZone;
  return {
    start: localTime(startDate, startZone, calendar, timeZone),
    end: localTime(endDate, endZone, calendar, timeZone),
  };
}

function zoneOf({ component }: ICAL.Event, name: string): string | undefined {
  const zone = component.getFirstProperty(name)?.getParameter('tzid');
  return typeof zone === 'string' ? zone : undefined;
}

/** A time without a zone is already one of the store. */
function localTime(
  time: ICAL.Time,
  zone: string | undefined,
  calendar: ICAL.Component,
  timeZone: string,
): string {
  const local = wallClock(time);
  if (time.zone === ICAL.Timezone.utcTimezone) return inZone(Date.parse(`${local}Z`), timeZone);
  if (zone === undefined || zone === timeZone) return local;
  if (isTimeZone(zone)) return inZone(instantOfWallClock(local, zone), timeZone);
  const described = calendar
    .getAllSubcomponents('vtimezone')
    .find((one) => one.getFirstPropertyValue('tzid') === zone);
  if (described === undefined) throw new UnknownZone(zone);
  const there = time.clone();
  there.zone = new ICAL.Timezone({ component: described, tzid: zone });
  return inZone(there.toUnixTime() * 1_000, timeZone);
}

function wallClock(time: ICAL.Time): string {
  return `${isoDate(time)}T${twoDigits(time.hour)}:${twoDigits(time.minute)}`;
}

/** The date of a time in its own zone. */
export function isoDate({ year, month, day }: ICAL.Time): IsoDate {
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`;
}

function inZone(instant: number, timeZone: string): string {
  return zonedFormatter(timeZone)(instant).slice(0, 16);
}
