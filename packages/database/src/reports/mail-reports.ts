import type { MailLanguage } from '@visitor-counter/domain/mail';
import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, sql, type Transaction } from 'kysely';
import { type Author, recordAudit } from '../audit/record-audit.ts';
import { isPending } from '../outbox/outbox.ts';
import { epochMs } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';
import { companyId, sidsIn, storeIdsOf } from '../stores/stores.ts';

export const reportPeriods = ['daily', 'weekly', 'monthly'] as const;
export type ReportPeriod = (typeof reportPeriods)[number];
/** The most recipients of a report, and the most reports of a company. */
export const mostRecipients = 20;
export const mostReports = 1_000;

/** A report as its company sets it up. */
export interface MailReport {
  readonly name: string;
  readonly period: ReportPeriod;
  /** Mail addresses. */
  readonly recipients: readonly string[];
  readonly language: MailLanguage;
  /** The hour at which it is sent, by the time of the store that closes last; null: when that has closed. */
  readonly hour: number | null;
  /** The name of a shop group, or null. */
  readonly group: string | null;
  /** The sids of some stores; null with a group, and for all stores. */
  readonly stores: readonly string[] | null;
  readonly enabled: boolean;
}

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
          select json_build_object('sentAt', ${epochMs('delivered_at')}, 'problem', last_problem) from outbox
          where mail_report_id = report.id and kind = 'test'
        )`.as('test'),
      ];
    })
    .$narrowType<{ period: ReportPeriod; language: MailLanguage }>()
    .orderBy('company.nameKey')
    .orderBy(sql`report.name collate "C"`);
}

/**
 * Inserts a report, or changes the one of this name. Periods that were due before it was inserted, switched on again, or
 * got another period are not reported. Mails that were not sent yet are given up if it is switched off.
 */
export async function writeReport(trx: Kysely<DB>, companyKey: string, report: MailReport): Promise<void> {
  const company = companyId(companyKey);
  const { name, period, recipients, language, hour, group, stores, enabled } = report;
  const settings = {
    period,
    recipients: [...recipients],
    language,
    sendHour: hour,
    shopGroupId: sql<number | null>`(
      select id from shop_group where company_id = ${company} and name_key = ${nameKey(group ?? '')}
    )`,
    storeIds: storeIdsOf(companyKey, stores),
    enabled,
  };
  const { id } = await trx
    .insertInto('mailReport')
    .values({ companyId: company, name, ...settings })
    .onConflict((conflict) =>
      conflict.columns(['companyId', 'name']).doUpdateSet({
        ...settings,
        since: sql<number>`case when mail_report.enabled and mail_report.period = excluded.period
          then mail_report.since else now() end`,
      }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  if (enabled) return;
  await trx
    .updateTable('outbox')
    .set({ givenUpAt: sql<number>`now()` })
    .where('mailReportId', '=', id)
    .where('kind', '<>', 'test')
    .where(isPending)
    .execute();
}

/** A change of a report; `after` is null if it is removed. */
interface ReportChange {
  readonly companyId: number;
  readonly company: string;
  /** The id of the one that is changed or removed. */
  readonly id: number | undefined;
  readonly after: MailReport | null;
}

type ChangedReport = 'changed' | 'unknown' | 'name-taken' | 'too-many';

/** Inserts, changes or removes a report, with an entry in the audit log. */
export async function changeReport(
  db: Kysely<DB>,
  author: Author,
  { companyId, company, id, after }: ReportChange,
): Promise<ChangedReport> {
  return await db.transaction().execute(async (trx) => {
    await trx.selectFrom('company').select('id').where('id', '=', companyId).forNoKeyUpdate().execute();
    const reports = await reportsOf(trx, companyId);
    const before = reports.find((one) => one.id === id);
    if (id !== undefined && before === undefined) return 'unknown';
    if (after && reports.some((one) => one.name === after.name && one.id !== id)) return 'name-taken';
    if (before === undefined && reports.length >= mostReports) return 'too-many';
    if (after === null) await removeReport(trx, companyId, before?.name ?? '');
    else {
      if (before && before.name !== after.name)
        await trx.updateTable('mailReport').set({ name: after.name }).where('id', '=', before.id).execute();
      await writeReport(trx, nameKey(company), after);
    }
    await recordChange(trx, author, company, before, after);
    return 'changed';
  });
}

async function recordChange(
  trx: Transaction<DB>,
  author: Author,
  company: string,
  before: ListedReport | undefined,
  after: MailReport | null,
): Promise<void> {
  const action = before === undefined ? 'created' : after === null ? 'removed' : 'settings changed';
  const subject = { kind: 'mail report', key: (after ?? before)?.name ?? '' } as const;
  const details = { from: before ? settingsOf(before) : null, to: after };
  await recordAudit(trx, author, { action, company, subject, details });
}

/** What a company sets up of a report. */
export function settingsOf(report: MailReport): MailReport {
  const { name, period, recipients, language, hour, group, stores, enabled } = report;
  return { name, period, recipients, language, hour, group, stores, enabled };
}

/** Removes a report and all its mails; false if there is no report of this name. */
export async function removeReport(trx: Kysely<DB>, company: number, name: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('mailReport')
    .where('companyId', '=', company)
    .where('name', '=', name)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
