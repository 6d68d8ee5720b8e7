import type { BusinessCalendar } from '@visitor-counter/domain/business-day';
import type { OpeningHours } from '@visitor-counter/domain/opening-hours';
import { type Kysely, sql } from 'kysely';
import { anyOf } from '../sql/arrays.ts';
import type { DB } from '../sql/schema.ts';
import { openingHoursOf } from '../stores/hours-and-staff.ts';
import type { ReportPeriod } from './mail-reports.ts';

/** When a store of a report opens and closes. */
export interface ScheduledStore {
  readonly calendar: BusinessCalendar;
  /** Null: always open. */
  readonly hours: OpeningHours | null;
}

/** When a report is sent. */
export interface ScheduledReport {
  readonly id: number;
  readonly period: ReportPeriod;
  /** The hour at which it is sent, 0 to 23; null: when the last store has closed. */
  readonly hour: number | null;
  /** Epoch ms. */
  readonly since: number;
  readonly stores: readonly ScheduledStore[];
}

/** All reports that are switched on, or the one with an id, with their stores. */
export async function scheduledReports(db: Kysely<DB>, id?: number): Promise<ScheduledReport[]> {
  const reports = await db
    .selectFrom('mailReport')
    .select(['id', 'period', 'sendHour as hour', 'since', 'companyId', storesOfReport.as('storeIds')])
    .$narrowType<{ period: ReportPeriod }>()
    .where((eb) => (id === undefined ? eb('enabled', '=', true) : eb('id', '=', id)))
    .execute();
  if (reports.length === 0) return [];
  const rows = await db
    .selectFrom('store')
    .select(['id', 'companyId', 'timeZone', 'dayStartsAt'])
    .where('companyId', '=', anyOf([...new Set(reports.map(({ companyId }) => companyId))]))
    .execute();
  const hours = await openingHoursOf(
    db,
    rows.map(({ id }) => id),
  );
  const stores = new Map(
    rows.map(({ id, timeZone, dayStartsAt }) => [
      id,
      { calendar: { timeZone, dayStartsAt }, hours: hours.get(id) ?? null },
    ]),
  );
  const ofCompany = Map.groupBy(rows, ({ companyId }) => companyId);
  return reports.map(({ companyId, storeIds, ...report }) => {
    const ids = storeIds ?? ofCompany.get(companyId)?.map(({ id }) => id) ?? [];
    return { ...report, stores: ids.flatMap((id) => stores.get(id) ?? []) };
  });
}

/** The ids of the stores of a row of `mail_report`; null for all stores of its company. */
export const storesOfReport = sql<
  number[] | null
>`coalesce(mail_report.store_ids, (select store_ids from shop_group where shop_group.id = shop_group_id))`;
