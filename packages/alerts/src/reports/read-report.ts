import { healthOf } from '@visitor-counter/database/devices/store-devices';
import { reportDigest } from '@visitor-counter/database/reports/report-changes';
import type { ReportMail, SentReport } from '@visitor-counter/database/reports/report-mails';
import type { Reader } from '@visitor-counter/database/sql/snapshot';
import { storeFacts } from '@visitor-counter/database/stores/stores';
import { namesOf, reasonsOf } from '@visitor-counter/database/visitors/incomplete';
import { readOpening } from '@visitor-counter/database/visitors/opening';
import { readSeries, type Series } from '@visitor-counter/database/visitors/read-series';
import { sumsOf } from '@visitor-counter/database/visitors/sums';
import type { Period } from '@visitor-counter/domain/periods';

/** Why a number of a report may be wrong or may still change. */
export const troubles = [
  'late',
  'lost',
  'removed',
  'beam-blocked',
  'direction-doubtful',
  'no-devices',
] as const;
export type Trouble = (typeof troubles)[number];

/** A store in a report. */
export interface StoreLine {
  readonly id: number;
  readonly sid: string;
  readonly name: string;
  readonly visitors: number;
  /** In the compared period; null if the store did not count then. */
  readonly before: number | null;
  readonly staff: number;
  readonly troubles: readonly Trouble[];
}

/** Visitors of all stores in an hour or a day, by local time. */
export interface ReportBucket {
  /** `YYYY-MM-DDTHH:MM` */
  readonly from: string;
  readonly visitors: number;
  readonly before: number | null;
}

export interface ReportContent {
  readonly mail: ReportMail;
  /** Those with trouble first, then by name. */
  readonly stores: readonly StoreLine[];
  readonly total: { readonly visitors: number; readonly before: number | null };
  readonly compared: Period | undefined;
  readonly size: 'hour' | 'day';
  /** Without those at the ends in which nobody came, then or in the compared period. */
  readonly buckets: readonly ReportBucket[];
  /** Of its first store. */
  readonly timeZone: string;
  readonly sent: SentReport;
}

/** Reads what a mail says. `db` must be a snapshot. Undefined if its stores do not exist any more. */
export async function readReport(db: Reader, mail: ReportMail): Promise<ReportContent | undefined> {
  const stores = await storeFacts(db, mail);
  if (stores.length === 0) return undefined;
  const size = mail.period === 'daily' ? 'hour' : 'day';
  const now = mail.countedUntil - 1;
  const days = { from: mail.from, to: mail.to };
  const series = await readSeries(db, stores, { days, size, compare: 'weekdays', now });
  const lines = series.map((one) => lineOf(one, now)).toSorted(byTrouble(mail.language));
  const opening = await readOpening(db, stores);
  const options = { bucket: size, weekStart: 'monday', opening, soldOf: () => undefined, now } as const;
  const countedFrom = Math.min(...series.map(({ plan }) => plan.starts[0] ?? now));
  const ids = lines.map(({ id }) => id);
  return {
    ...{ mail, stores: lines, size, compared: series[0]?.plan.before?.period },
    timeZone: stores[0]?.calendar.timeZone ?? 'UTC',
    total: { visitors: sum(lines.map(({ visitors }) => visitors)), before: sumOfKnown(lines) },
    buckets: withoutEmptyEnds(
      sumsOf(series, options).map(({ localFrom, visitors, before }) => ({
        from: localFrom,
        visitors,
        before,
      })),
    ),
    sent: {
      visitors: Object.fromEntries(lines.map(({ id, visitors }) => [id, visitors])),
      countedFrom,
      digest: await reportDigest(db, ids, countedFrom, mail.countedUntil),
    },
  };
}

function lineOf(one: Series, now: number): StoreLine {
  const { store, plan, counts, before } = one;
  const bits = plan.starts.reduce((all, _, cell) => all | reasonsOf(one, cell, now), 0);
  const { obstacles } = healthOf([one.devices], now);
  const found = new Set<string>([...namesOf(bits), ...obstacles.map(({ kind }) => kind)]);
  const visitors = sum(one.visitors);
  return {
    ...{ id: store.id, sid: store.sid, name: store.name, visitors },
    ...{ before: before ? sum(before) : null, staff: sum(counts.entries) - visitors },
    troubles: troubles.filter((trouble) => found.has(trouble)),
  };
}

/** People compare totals of the same stores: a store without a number of then is left out of the earlier total only. */
function sumOfKnown(lines: readonly StoreLine[]): number | null {
  const known = lines.flatMap(({ before }) => before ?? []);
  return known.length > 0 ? sum(known) : null;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function byTrouble(language: string): (a: StoreLine, b: StoreLine) => number {
  const { compare } = new Intl.Collator(language, { numeric: true });
  const isWell = ({ troubles: found }: StoreLine) => Number(found.length === 0);
  return (a, b) => isWell(a) - isWell(b) || compare(a.name, b.name) || compare(a.sid, b.sid);
}

function withoutEmptyEnds(buckets: readonly ReportBucket[]): readonly ReportBucket[] {
  const isBusy = ({ visitors, before }: ReportBucket) => visitors > 0 || (before ?? 0) > 0;
  const first = buckets.findIndex(isBusy);
  return first < 0 ? [] : buckets.slice(first, buckets.findLastIndex(isBusy) + 1);
}
