import type { MailLanguage } from '@visitor-counter/domain/mail';
import type { IsoDate } from '@visitor-counter/domain/time-zone';
import { type Kysely, sql } from 'kysely';
import { type Claim, claimDue } from '../outbox/outbox.ts';
import { epochMs, timestamp } from '../sql/instant.ts';
import type { ReportPeriod } from './mail-reports.ts';
import { storesOfReport } from './scheduled-reports.ts';

/** A mail that has to be sent. Instants are epoch ms. */
export interface ReportMail {
  readonly id: string;
  readonly reportId: number;
  readonly name: string;
  readonly companyId: number;
  readonly company: string;
  readonly group: string | null;
  readonly period: ReportPeriod;
  readonly language: MailLanguage;
  readonly from: IsoDate;
  readonly to: IsoDate;
  readonly version: number;
  readonly countedUntil: number;
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

/** Claims due mails. */
export async function claimMails(db: Kysely<unknown>, claim: Claim): Promise<ReportMail[]> {
  const { rows } = await sql<ReportMail>`
    with ${claimDue('report_mail', claim)}
    select claimed.id, mail_report.id as "reportId", mail_report.name, mail_report.company_id as "companyId",
      company.name as company, shop_group.name as "group", period, language, claimed.first_date::text as "from",
      claimed.last_date::text as "to", claimed.version, ${epochMs('claimed.counted_until')} as "countedUntil",
      ${storesOfReport} as "storeIds", recipients, claimed.remaining, claimed.attempts, before.visitors as corrected
    from claimed
    join mail_report on mail_report.id = claimed.mail_report_id
    join company on company.id = mail_report.company_id
    left join shop_group on shop_group.id = mail_report.shop_group_id
    left join report_mail before on before.mail_report_id = claimed.mail_report_id
      and before.first_date = claimed.first_date and before.last_date = claimed.last_date
      and before.version = claimed.version - 1`.execute(db);
  return rows;
}

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
  db: Kysely<unknown>,
  id: string,
  { visitors, countedFrom, digest }: SentReport,
  remaining: readonly string[],
): Promise<void> {
  await sql`
    update report_mail set digest = ${digest}, visitors = ${JSON.stringify(visitors)},
      counted_from = ${timestamp(countedFrom)}, remaining = ${[...remaining]}
    where id = ${id}`.execute(db);
}
