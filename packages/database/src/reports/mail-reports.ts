import type { MailLanguage } from '@visitor-counter/domain/mail';
import { sql } from 'kysely';
import { anyOf, type Db } from '../sql/query-builder.ts';
import { openingHoursOf } from '../stores/hours-and-staff.ts';
import { sidsIn } from '../stores/stores.ts';

export const reportPeriods = ['daily', 'weekly', 'monthly'] as const;
export type ReportPeriod = (typeof reportPeriods)[number];
/** A report, and what became of its last mails. */
export type ListedReport = Awaited<ReturnType<typeof reportsOf>>[number];

/** The reports of a company, by name. */
export async function reportsOf(db: Db, company: number) {
  return await listed(db).where('report.companyId', '=', company).execute();
}

/** The reports of all companies, or of one, given by its name key. */
export async function listReports(db: Db, companyKey: string | undefined): Promise<ListedReport[]> {
  return await listed(db)
    .$if(companyKey !== undefined, (all) => all.where('company.nameKey', '=', companyKey ?? ''))
    .execute();
}

function listed(db: Db) {
  return db
    .selectFrom('mailReport as report')
    .innerJoin('company', 'company.id', 'report.companyId')
    .leftJoin('shopGroup', 'shopGroup.id', 'shopGroupId')
    .select(['company.name as company', 'report.id', 'report.name', 'period', 'recipients', 'language'])
    .select(['sendHour as hour', 'shopGroup.name as group', 'enabled'])
    .select((eb) => {
      const mails = eb.selectFrom('outbox').whereRef('mailReportId', '=', 'report.id');
      const sent = mails.where('kind', '<>', 'test');
      const last = sent.orderBy('countedUntil', 'desc').orderBy('nextAttemptAt', 'desc').limit(1);
      return [
        sidsIn('report.storeIds').as('stores'),
        sent.select(({ fn }) => fn.max('deliveredAt').as('at')).as('lastSentAt'),
        last.select('lastProblem').as('problem'),
        /* The last test: when it was sent, or why it could not be; both are null while it is under way. */
        sql<{ sentAt: number | null; problem: string | null } | null>`(
          select json_build_object('sentAt', epoch_ms(delivered_at), 'problem', last_problem) from outbox
          where mail_report_id = report.id and kind = 'test'
        )`.as('test'),
      ];
    })
    .$narrowType<{ period: ReportPeriod; language: MailLanguage }>()
    .orderBy('company.nameKey')
    .orderBy(sql`report.name collate "C"`);
}

/**
 * When a report is sent: at an `hour` (0 to 23), or when its last store has closed (null). Periods that were
 * due before `since` (epoch ms) are left out.
 */
export type ScheduledReport = Awaited<ReturnType<typeof scheduledReports>>[number];

/** A store of a report; it is always open if `hours` is null. */
export type ScheduledStore = ScheduledReport['stores'][number];

/** All reports that are switched on, or the one with an id, with their stores. */
export async function scheduledReports(db: Db, id?: number) {
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
