import type { MailLanguage } from '@visitor-counter/domain/mail';
import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { type Author, recordAudit } from '../audit/record-audit.ts';
import { epochMs } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';
import { companyId, sidsIn, storeIdsOf } from '../stores/stores.ts';
import { testVersion } from './report-mails.ts';

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

export interface ListedReport extends MailReport {
  readonly id: number;
  /** The name of its company. */
  readonly company: string;
  /** When its last mail was sent, and why the last one could not be, if so. */
  readonly lastSentAt: number | null;
  readonly problem: string | null;
  /** The last test: when it was sent (epoch ms), or why it could not be; both are null while it is under way. */
  readonly test: { readonly sentAt: number | null; readonly problem: string | null } | null;
}

/** The reports of a company, by name. */
export async function reportsOf(db: Kysely<DB>, company: number): Promise<ListedReport[]> {
  return await listed(db, sql`report.company_id = ${company}`);
}

/** The reports of all companies, or of one, given by its name key. */
export async function listReports(db: Kysely<DB>, companyKey: string | undefined): Promise<ListedReport[]> {
  return await listed(db, companyKey === undefined ? sql`true` : sql`company.name_key = ${companyKey}`);
}

async function listed(db: Kysely<DB>, condition: RawBuilder<unknown>): Promise<ListedReport[]> {
  const { rows } = await sql<ListedReport>`
    select company.name as company, report.id, report.name, period, recipients, language, send_hour as hour,
      shop_group.name as "group",
      ${sidsIn('report.storeIds')} as stores, enabled, mail.delivered_at as "lastSentAt", problem.last_problem as problem, tested.test
    from mail_report report
    join company on company.id = report.company_id
    left join shop_group on shop_group.id = shop_group_id
    left join lateral (
      select max(delivered_at) as delivered_at from report_mail
      where mail_report_id = report.id and version <> ${testVersion}
    ) mail on true
    left join lateral (
      select last_problem from report_mail
      where mail_report_id = report.id and version <> ${testVersion}
      order by counted_until desc, version desc limit 1
    ) problem on true
    left join lateral (
      select json_build_object('sentAt', ${epochMs('delivered_at')}, 'problem', last_problem) as test from report_mail
      where mail_report_id = report.id and version = ${testVersion}
    ) tested on true
    where ${condition} order by company.name_key, report.name collate "C"`.execute(db);
  return rows;
}

/**
 * Inserts a report, or changes the one of this name. Periods that were due before it was inserted, switched on again, or
 * got another period are not reported.
 */
export async function writeReport(trx: Kysely<DB>, companyKey: string, report: MailReport): Promise<void> {
  const company = companyId(companyKey);
  const { name, period, recipients, language, hour, group, stores, enabled } = report;
  const { rows: known } = await sql<{ recipients: string[] }>`
    select recipients from mail_report where company_id = ${company} and name = ${name} for update`.execute(
    trx,
  );
  const groupId = sql`(select id from shop_group where company_id = ${company} and name_key = ${nameKey(group ?? '')})`;
  const { rows } = await sql<{ id: number }>`
    insert into mail_report as known (company_id, name, period, recipients, language, send_hour, shop_group_id, store_ids, enabled)
    values (${company}, ${name}, ${period}, ${[...recipients]}, ${language}, ${hour},
      ${group === null ? null : groupId}, ${storeIdsOf(companyKey, stores)}, ${enabled})
    on conflict (company_id, name) do update set period = excluded.period, recipients = excluded.recipients,
      language = excluded.language, send_hour = excluded.send_hour, shop_group_id = excluded.shop_group_id, store_ids = excluded.store_ids,
      enabled = excluded.enabled,
      since = case when known.enabled and known.period = excluded.period then known.since else now() end
    returning id`.execute(trx);
  const id = rows[0]?.id ?? 0;
  if (known[0]) await changeQueued(trx, id, { before: known[0].recipients, recipients, enabled });
}

/**
 * Mails that were not sent yet go to the present recipients: not to one who was removed, and also to one who was added. Those
 * of a report that is switched off, or without a recipient, are given up.
 */
async function changeQueued(
  trx: Kysely<DB>,
  reportId: number,
  {
    before,
    recipients,
    enabled,
  }: Pick<MailReport, 'recipients' | 'enabled'> & { readonly before: readonly string[] },
): Promise<void> {
  const added = recipients.filter((one) => !before.includes(one));
  await sql`
    update report_mail mail set remaining = present.remaining,
      given_up_at = case when not ${enabled}::boolean or present.remaining = '{}' then now() end
    from report_mail queued
    cross join lateral (
      select array(
        select one from unnest(${[...recipients]}::text[]) as one
        where one = any(queued.remaining) or one = any(${added}::text[])
      ) as remaining
    ) present
    where queued.mail_report_id = ${reportId} and mail.id = queued.id and queued.version <> ${testVersion}
      and mail.delivered_at is null and mail.given_up_at is null`.execute(trx);
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
    await sql`select from company where id = ${companyId} for no key update`.execute(trx);
    const reports = await reportsOf(trx, companyId);
    const before = reports.find((one) => one.id === id);
    if (id !== undefined && before === undefined) return 'unknown';
    if (after && reports.some((one) => one.name === after.name && one.id !== id)) return 'name-taken';
    if (before === undefined && reports.length >= mostReports) return 'too-many';
    if (after === null) await removeReport(trx, companyId, before?.name ?? '');
    else {
      if (before && before.name !== after.name)
        await sql`update mail_report set name = ${after.name} where id = ${before.id}`.execute(trx);
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
  const { rows } = await sql`
    delete from mail_report where company_id = ${company} and name = ${name} returning id`.execute(trx);
  return rows.length > 0;
}
