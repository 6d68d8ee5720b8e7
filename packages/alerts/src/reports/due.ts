import type {
  DueMail,
  ScheduledReport,
  ScheduledStore,
} from '@visitor-counter/database/reports/report-mails';
import { businessDayStart } from '@visitor-counter/domain/business-day';
import { timesOn } from '@visitor-counter/domain/opening-hours';
import { addDays, dayOfWeek, type IsoDate } from '@visitor-counter/domain/time-zone';

/** How many days later a report is still sent, after an outage of the service. */
const daysLate = 7;

/**
 * The periods of reports that are due at `now` (epoch ms), including those that were mailed before. A report is due `grace`
 * (ms) after the last of its stores has closed on the last day of its period, so that units have delivered; a store without
 * opening hours closes at the end of the business day. A day on which all stores are closed has no daily report.
 */
export function dueMails(reports: readonly ScheduledReport[], now: number, grace: number): DueMail[] {
  const closingOf = closings();
  const today = new Date(now).toISOString().slice(0, 10);
  const dates = Array.from({ length: daysLate + 3 }, (_, n) => addDays(today, n - daysLate - 1));
  return reports.flatMap((report) =>
    dates.flatMap((to) => {
      const from = firstDayOf(report.period, to);
      if (from === undefined) return [];
      const closing = lastClosing(report, to, closingOf);
      if (closing === undefined) return [];
      const countedUntil = closing + grace;
      const isDue = countedUntil <= now && countedUntil > now - daysLate * 86_400_000;
      return isDue && countedUntil >= report.since ? [{ reportId: report.id, from, to, countedUntil }] : [];
    }),
  );
}

/** The first day of the period that ends with a date; undefined if none does. Weeks begin on Monday. */
function firstDayOf(period: ScheduledReport['period'], to: IsoDate): IsoDate | undefined {
  if (period === 'daily') return to;
  if (period === 'weekly') return dayOfWeek(to) === 7 ? addDays(to, -6) : undefined;
  return addDays(to, 1).endsWith('-01') ? `${to.slice(0, 8)}01` : undefined;
}

/** When the last store closes on a date (epoch ms). A store that is closed all day delays nothing. */
function lastClosing(
  { period, stores }: ScheduledReport,
  date: IsoDate,
  closingOf: (store: ScheduledStore, date: IsoDate) => Closing,
): number | undefined {
  const ofStores = stores.map((store) => closingOf(store, date));
  const isOpen = ofStores.some(({ isOpen }) => isOpen);
  if (stores.length === 0 || (period === 'daily' && !isOpen)) return undefined;
  return ofStores.reduce((latest, { at }) => Math.max(latest, at), 0);
}

interface Closing {
  readonly isOpen: boolean;
  /** Epoch ms; the beginning of a day on which the store is closed. */
  readonly at: number;
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
  if (hours === null) return { isOpen: true, at: end };
  const times = [-1, 0, 1]
    .flatMap((days) => timesOn(hours, calendar, addDays(date, days)))
    .filter(({ from, to }) => from < end && to > start);
  return { isOpen: times.length > 0, at: Math.max(start, ...times.map(({ to }) => to)) };
}
