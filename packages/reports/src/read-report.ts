import { namesOf, notStarted, withoutRunning } from '@visitor-counter/database/devices/delivery';
import { completenessOfStores } from '@visitor-counter/database/devices/store-devices';
import type { ReportMail } from '@visitor-counter/database/reports/report-mails';
import type { Db } from '@visitor-counter/database/sql/query-builder';
import { storeFacts } from '@visitor-counter/database/stores/store-facts';
import { readSeries, type Series } from '@visitor-counter/database/visitors/read-series';
import { addSold, type Sold, soldIn } from '@visitor-counter/database/visitors/sold';
import { sumsOf, visitorsIn } from '@visitor-counter/database/visitors/sums';
import { type ComparedVisitors, comparedTotal } from '@visitor-counter/domain/compared-total';
import type { Period } from '@visitor-counter/domain/periods';

/** Why a number of a report may be wrong or may still change. */
const troubles = [
  'late',
  'lost',
  'not-started',
  'beam-blocked',
  'beams-unreadable',
  'beam-flickering',
  'direction-doubtful',
  'no-devices',
] as const;
export type Trouble = (typeof troubles)[number];

/** A store in a report. */
export interface StoreLine extends ComparedVisitors {
  /** False if the store had not begun to count: `visitors` is 0 then, and is not shown. */
  readonly hasBegun: boolean;
  readonly id: number;
  readonly sid: string;
  readonly name: string;
  readonly staff: number;
  /** Undefined if no sales are known. */
  readonly sold: Sold | undefined;
  readonly troubles: readonly Trouble[];
}

/** Visitors of all stores in an hour or a day, by local time. */
interface ReportBucket extends ComparedVisitors {
  /** As in RFC 3339; of stores with different offsets the local time `YYYY-MM-DDTHH:MM`. */
  readonly from: string;
  readonly troubles: readonly Trouble[];
}

export interface ReportContent {
  readonly mail: ReportMail;
  /** Those with trouble first, then by name. */
  readonly stores: readonly StoreLine[];
  readonly total: ComparedVisitors & Pick<StoreLine, 'hasBegun' | 'sold'>;
  readonly compared: Period | undefined;
  readonly size: 'hour' | 'day';
  /** Without the buckets at both ends in which nobody came, neither then nor in the compared period. */
  readonly buckets: readonly ReportBucket[];
  /** Of its first store. */
  readonly timeZone: string;
}

/** Reads the content of a mail. `db` must be a snapshot. Undefined if its stores do not exist any more. */
export async function readReport(db: Db, mail: ReportMail): Promise<ReportContent | undefined> {
  const stores = await storeFacts(db, mail);
  if (stores.length === 0) return undefined;
  const size = mail.period === 'daily' ? 'hour' : 'day';
  const now = mail.countedUntil - 1;
  const days = { from: mail.from, to: mail.to };
  const series = await readSeries(db, stores, { days, size, compare: 'weekdays', now });
  const lines = series.map((one) => lineOf(one, now)).toSorted(byTrouble(mail.language));
  const sums = await sumsOf(series, size);
  return {
    mail,
    stores: lines,
    size,
    compared: series[0]?.plan.before?.period,
    timeZone: stores[0]?.calendar.timeZone ?? 'UTC',
    total: {
      ...comparedTotal(lines),
      hasBegun: lines.some(({ hasBegun }) => hasBegun),
      sold: lines.map(({ sold }) => sold).reduce(addSold, undefined),
    },
    buckets: withoutEmptyEnds(
      sums.map(({ from, visitors, comparable, before, incomplete }) => {
        return { from, visitors, comparable, before, troubles: troublesAmong(namesOf(incomplete)) };
      }),
    ),
  };
}

/** Whether counters have not delivered everything yet that the report counts. */
export function isIncomplete({ stores }: ReportContent): boolean {
  return stores.some(({ troubles }) => troubles.includes('late'));
}

function lineOf(one: Series, now: number): StoreLine {
  const { store, plan, counts, begin } = one;
  const bits = one.incomplete.reduce((all, some) => all | some, 0) & ~notStarted;
  const { obstacles } = completenessOfStores([one.devices], now);
  const cells = plan.all.slice(0, plan.starts.length);
  const firstDay = cells.filter(({ date }) => date === cells[0]?.date);
  const lacksDays = begin >= (firstDay.at(-1)?.to ?? 0);
  const found = [
    ...namesOf(bits),
    ...obstacles.map(({ kind }) => kind),
    ...(lacksDays ? ['not-started'] : []),
  ];
  const compared = visitorsIn(one);
  const sold = soldIn(one);
  return {
    id: store.id,
    sid: store.sid,
    name: store.name,
    ...compared,
    hasBegun: begin < (cells.at(-1)?.to ?? 0),
    staff: counts.entries.reduce((sum, count) => sum + count, 0) - compared.visitors,
    /* A report counts until it is due, even if the business day is not over. */
    sold: sold && { ...sold, incomplete: withoutRunning(sold.incomplete) },
    troubles: troublesAmong(found),
  };
}

function troublesAmong(found: readonly string[]): Trouble[] {
  return troubles.filter((trouble) => found.includes(trouble));
}

/** The visitors that are shown of a store, or of all; null if it had not begun to count. */
export function visitorsOf({ visitors, hasBegun }: Pick<StoreLine, 'visitors' | 'hasBegun'>): number | null {
  return hasBegun ? visitors : null;
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
