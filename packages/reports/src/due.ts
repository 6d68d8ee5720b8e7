import type { ScheduledReport, ScheduledStore } from '@visitor-counter/database/reports/mail-reports';
import type { DueMail } from '@visitor-counter/database/reports/report-mails';
import { businessDayStart } from '@visitor-counter/domain/business-day';
import { timesOn } from '@visitor-counter/domain/opening-hours';
import {
  addDays,
  dayOfWeek,
  type IsoDate,
  instantOfWallClock,
  localDateAt,
} from '@visitor-counter/domain/time-zone';

/** How many days later a report is still sent, after an outage of the service. */
const daysLate = 7;

/** How far back the last period of a report ends, in days: a month and some days. */
const daysBack = 40;

/** After the last store has closed (ms): units deliver within seconds, and their heartbeats come each minute. */
const grace = 2 * 60_000;

/**
 * The periods of reports that are due at `now` (epoch ms), including those that were mailed before. A report is due `grace`
 * (ms) after the last of its stores has closed on the last day of its period, so that units have delivered, or at its hour
 * after that, by the time of that store. A store without opening hours closes at the end of the business day. A day on which
 * all stores are closed has no daily report.
 */
export function dueMails(reports: readonly ScheduledReport[], now: number): DueMail[] {
  const closingOf = closings();
  const dates = datesBefore(now, daysLate + 2);
  return reports.flatMap((report) =>
    dates
      .flatMap((to) => periodEnding(report, to, closingOf) ?? [])
      .filter(({ dueAt }) => dueAt <= now && dueAt > now - daysLate * 86_400_000 && dueAt >= report.since)
      .map(({ mail }) => mail),
  );
}

/** The last period of a report that is over at `now` (epoch ms); undefined if it has no stores, or they are always closed. */
export function lastPeriod(report: ScheduledReport, now: number): DueMail | undefined {
  const closingOf = closings();
  return datesBefore(now, daysBack)
    .map((to) => periodEnding(report, to, closingOf)?.mail)
    .findLast((mail) => mail !== undefined && mail.countedUntil <= now);
}

/** The dates from so many days before an instant (epoch ms) to the day after it. */
function datesBefore(now: number, days: number): IsoDate[] {
  const today = new Date(now).toISOString().slice(0, 10);
  return Array.from({ length: days + 2 }, (_, n) => addDays(today, n - days));
}

/** The period of a report that ends with a date, and when it is due (epoch ms); undefined if none does. */
function periodEnding(
  report: ScheduledReport,
  to: IsoDate,
  closingOf: (store: ScheduledStore, date: IsoDate) => Closing,
): { readonly mail: DueMail; readonly dueAt: number } | undefined {
  const from = firstDayOf(report.period, to);
  const last = from === undefined ? undefined : lastClosing(report, to, closingOf);
  if (from === undefined || last === undefined) return undefined;
  const countedUntil = last.at + grace;
  const dueAt = report.hour === null ? countedUntil : nextHour(report.hour, countedUntil, last.timeZone);
  return { mail: { reportId: report.id, from, to, countedUntil }, dueAt };
}

/** When it is next this hour in a zone, at or after an instant (epoch ms). */
function nextHour(hour: number, after: number, timeZone: string): number {
  const today = localDateAt(after, timeZone);
  const time = `T${String(hour).padStart(2, '0')}:00`;
  const onDay = instantOfWallClock(`${today}${time}`, timeZone);
  return onDay >= after ? onDay : instantOfWallClock(`${addDays(today, 1)}${time}`, timeZone);
}

/** The first day of the period that ends with a date; undefined if none does. Weeks begin on Monday. */
function firstDayOf(period: ScheduledReport['period'], to: IsoDate): IsoDate | undefined {
  if (period === 'daily') return to;
  if (period === 'weekly') return dayOfWeek(to) === 7 ? addDays(to, -6) : undefined;
  return addDays(to, 1).endsWith('-01') ? `${to.slice(0, 8)}01` : undefined;
}

/** The last store that closes on a date. A store that is closed all day delays nothing. */
function lastClosing(
  { period, stores }: ScheduledReport,
  date: IsoDate,
  closingOf: (store: ScheduledStore, date: IsoDate) => Closing,
): Closing | undefined {
  const ofStores = stores.map((store) => closingOf(store, date));
  const isOpen = ofStores.some(({ isOpen }) => isOpen);
  if (stores.length === 0 || (period === 'daily' && !isOpen)) return undefined;
  return ofStores.reduce((latest, one) => (one.at > latest.at ? one : latest));
}

interface Closing {
  readonly isOpen: boolean;
  /** Epoch ms; the beginning of a day on which the store is closed. */
  readonly at: number;
  readonly timeZone: string;
}

/** Returns when stores close on dates; each is computed once. */
function closings(): (store: ScheduledStore, date: IsoDate) => Closing {
  const known = new Map<ScheduledStore, Map<IsoDate, Closing>>();
  return (store, date) => {
    const ofStore = known.get(store) ?? new Map<IsoDate, Closing>();
    known.set(store, ofStore);
    const closing = ofStore.get(date) ?? closingOn(store, date);
    ofStore.set(date, closing);
    return closing;
  };
}

/** By the times at which the store is open within its business day: they may be those of the night before or after. */
function closingOn({ calendar, hours }: ScheduledStore, date: IsoDate): Closing {
  const [start, end] = [businessDayStart(date, calendar), businessDayStart(addDays(date, 1), calendar)];
  const { timeZone } = calendar;
  if (hours === null) return { isOpen: true, at: end, timeZone };
  const times = [-1, 0, 1]
    .flatMap((days) => timesOn(hours, calendar, addDays(date, days)))
    .filter(({ from, to }) => from < end && to > start);
  return { isOpen: times.length > 0, at: Math.max(start, ...times.map(({ to }) => to)), timeZone };
}
