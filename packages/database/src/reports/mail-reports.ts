import type { MailLanguage } from '@visitor-counter/domain/mail';
import { type Kysely, sql } from 'kysely';
import type { DB } from '../sql/schema.ts';
import { sidsIn } from '../stores/stores.ts';

export const reportPeriods = ['daily', 'weekly', 'monthly'] as const;
export type ReportPeriod = (typeof reportPeriods)[number];
/** A report, and what became of its last mails. */
export type ListedReport = Awaited<ReturnType<typeof reportsOf>>[number];

/** The reports of a company, by name. */
export async function reportsOf(db: Kysely<DB>, company: number) {
  return await listed(db).where('report.companyId', '=', company).execute();
}

/** The reports of all companies, or of one, given by its name key. */
export async function listReports(db: Kysely<DB>, companyKey: string | undefined): Promise<ListedReport[]> {
  return await listed(db)
    .$if(companyKey !== undefined, (all) => all.where('company.nameKey', '=', companyKey ?? ''))
    .execute();
}

function listed(db: Kysely<DB>) {
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
