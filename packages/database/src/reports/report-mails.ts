import type { BusinessCalendar } from '@visitor-counter/domain/business-day';
import type { MailLanguage } from '@visitor-counter/domain/mail';
import type { OpeningHours } from '@visitor-counter/domain/opening-hours';
import type { IsoDate } from '@visitor-counter/domain/time-zone';
import { type Kysely, sql } from 'kysely';
import { type Claim, claimDue } from '../outbox/outbox.ts';
import { openingHoursOf } from '../settings/store-settings.ts';
import { numberArray } from '../sql/arrays.ts';
import { epochMs, timestamp } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';
import { calendar } from '../stores/stores.ts';
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

interface ReportRow extends Omit<ScheduledReport, 'stores'> {
  readonly companyId: number;
  /** Null: all stores of the company. */
  readonly storeIds: readonly number[] | null;
}

interface StoreRow {
  readonly id: number;
  readonly companyId: number;
  readonly calendar: BusinessCalendar;
}

/** All reports that are switched on, or the one with an id, with their stores. */
export async function scheduledReports(db: Kysely<DB>, id?: number): Promise<ScheduledReport[]> {
  const { rows: reports } = await sql<ReportRow>`
    select id, period, send_hour as hour, ${epochMs('since')} as since, company_id, ${storesOfReport} as store_ids
    from mail_report where ${id === undefined ? sql`enabled` : sql`id = ${id}`}`.execute(db);
  if (reports.length === 0) return [];
  const companies = [...new Set(reports.map(({ companyId }) => companyId))];
  const { rows } = await sql<StoreRow>`
    select id, company_id, ${calendar} from store
    where company_id = any(${numberArray(companies)}::integer[])`.execute(db);
  const hours = await openingHoursOf(
    db,
    rows.map(({ id }) => id),
  );
  const stores = new Map(rows.map(({ id, calendar }) => [id, { calendar, hours: hours.get(id) ?? null }]));
  const ofCompany = Map.groupBy(rows, ({ companyId }) => companyId);
  return reports.map(({ companyId, storeIds, ...report }) => {
    const ids = storeIds ?? ofCompany.get(companyId)?.map(({ id }) => id) ?? [];
    return { ...report, stores: ids.flatMap((id) => stores.get(id) ?? []) };
  });
}

/** The ids of the stores of a row of `mail_report`; null for all stores of its company. */
const storesOfReport = sql`coalesce(mail_report.store_ids, case when shop_group_id is not null
    then array(select store_id from shop_group_store member where member.shop_group_id = mail_report.shop_group_id)
  end)`;

/** A period of a report, which counts what happened before `countedUntil` (epoch ms). */
export interface DueMail {
  readonly reportId: number;
  readonly from: IsoDate;
  readonly to: IsoDate;
  readonly countedUntil: number;
}

/** Queues the mails that no process has queued before. */
export async function queueMails(db: Kysely<DB>, due: readonly DueMail[]): Promise<void> {
  await sql`
    insert into report_mail (mail_report_id, first_date, last_date, counted_until, remaining)
    select due.id, first_date, last_date, counted_until, recipients
    from unnest(
      ${numberArray(due.map(({ reportId }) => reportId))}::integer[], ${due.map(({ from }) => from)}::date[],
      ${due.map(({ to }) => to)}::date[], ${due.map(({ countedUntil }) => timestamp(countedUntil))}::timestamptz[]
    ) as due (id, first_date, last_date, counted_until)
    join mail_report on mail_report.id = due.id and enabled
    where not exists (
      select from report_mail known
      where known.mail_report_id = due.id and known.first_date = due.first_date and known.last_date = due.last_date
        and version <> ${testVersion}
    )
    on conflict do nothing`.execute(db);
}

/** The version of a mail that a user asked for, to one recipient. It is none of the report's: it is never corrected. */
export const testVersion = 0;

/** A mail to send. Instants are epoch ms. */
export interface ReportMail extends DueMail {
  readonly id: string;
  readonly name: string;
  readonly companyId: number;
  readonly company: string;
  readonly group: string | null;
  readonly period: ReportPeriod;
  readonly language: MailLanguage;
  readonly version: number;
  /** Null: all stores of the company. */
  readonly storeIds: readonly number[] | null;
  /** All recipients, and those who have not received it. */
  readonly recipients: readonly string[];
  readonly remaining: readonly string[];
  /** Including this one. */
  readonly attempts: number;
  /** The visitors in the version before, by the id of the store; null if it had not begun to count. */
  readonly corrected: Readonly<Record<string, number | null>> | null;
}

/** That of a row of `claimed`: the report may have got another one since. */
const periodOfMail = sql`case claimed.last_date - claimed.first_date
    when 0 then 'daily' when 6 then 'weekly' else 'monthly' end`;

/** Claims due mails. */
export async function claimMails(db: Kysely<DB>, claim: Claim): Promise<ReportMail[]> {
  const { rows } = await sql<ReportMail>`
    with ${claimDue('report_mail', claim)} ${selectClaimed}`.execute(db);
  return rows;
}

/** The mail of a period as it would be sent now; undefined if the report does not exist any more. */
export async function mailOf(
  db: Kysely<DB>,
  { reportId, from, to, countedUntil }: DueMail,
): Promise<ReportMail | undefined> {
  const { rows } = await sql<ReportMail>`
    with claimed as (
      select '' as id, ${reportId}::integer as mail_report_id, ${from}::date as first_date, ${to}::date as last_date,
        1 as version, ${timestamp(countedUntil)}::timestamptz as counted_until, '{}'::text[] as remaining, 1 as attempts
    ) ${selectClaimed}`.execute(db);
  return rows[0];
}

/** Of the rows of `claimed`: the mails. */
const selectClaimed = sql`
    select claimed.id, mail_report.id as "reportId", mail_report.name, mail_report.company_id as "companyId",
      company.name as company, shop_group.name as "group", ${periodOfMail} as period, language, claimed.first_date::text as "from",
      claimed.last_date::text as "to", claimed.version, ${epochMs('claimed.counted_until')} as "countedUntil",
      ${storesOfReport} as "storeIds", claimed.remaining, claimed.attempts, before.visitors as corrected,
      case claimed.version when ${testVersion} then claimed.remaining else recipients end as recipients
    from claimed
    join mail_report on mail_report.id = claimed.mail_report_id
    join company on company.id = mail_report.company_id
    left join shop_group on shop_group.id = mail_report.shop_group_id
    left join report_mail before on before.mail_report_id = claimed.mail_report_id
      and before.first_date = claimed.first_date and before.last_date = claimed.last_date
      and before.version = claimed.version - 1`;

/** The numbers in a mail that was accepted. */
export interface SentReport {
  /** By the id of the store. */
  readonly visitors: Readonly<Record<string, number | null>>;
  /** Epoch ms. */
  readonly countedFrom: number;
  readonly digest: string;
}

/** Records what a mail server has accepted of a mail; `remaining` are the recipients that it has refused. */
export async function recordSent(
  db: Kysely<DB>,
  id: string,
  { visitors, countedFrom, digest }: SentReport,
  remaining: readonly string[],
): Promise<void> {
  await sql`
    update report_mail set digest = ${digest}, visitors = ${JSON.stringify(visitors)},
      counted_from = ${timestamp(countedFrom)}, remaining = ${[...remaining]}
    where id = ${id}`.execute(db);
}
