import type { MailLanguage } from '@visitor-counter/domain/mail';
import type { IsoDate } from '@visitor-counter/domain/time-zone';
import { type Kysely, sql } from 'kysely';
import { epochMs, inMs, timestamp } from '../sql/instant.ts';
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

/** Claims due mails, those with the fewest attempts first; they are due again after `lease` (ms) if nothing renews it. */
export async function claimMails(db: Kysely<unknown>, limit: number, lease: number): Promise<ReportMail[]> {
  const { rows } = await sql<ReportMail>`
    with due as (
      select id from report_mail
      where delivered_at is null and given_up_at is null and next_attempt_at <= now()
      order by attempts, next_attempt_at limit ${limit} for update skip locked
    ), claimed as (
      update report_mail mail set attempts = attempts + 1, next_attempt_at = ${inMs(lease)}
      from due where due.id = mail.id returning mail.*
    )
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
      and before.version = claimed.version - 1
    order by claimed.attempts, claimed.counted_until, claimed.id`.execute(db);
  return rows;
}

/**
 * Extends the claims on mails that are being sent, to `lease` ms from now. The pause after an attempt that has just failed
 * stays.
 */
export async function extendMailClaims(
  db: Kysely<unknown>,
  ids: readonly string[],
  lease: number,
): Promise<void> {
  await sql`
    update report_mail set next_attempt_at = greatest(next_attempt_at, ${inMs(lease)})
    where id = any(${[...ids]}::uuid[]) and delivered_at is null and given_up_at is null`.execute(db);
}

/** The numbers in a mail that was accepted. */
export interface SentReport {
  /** By the id of the store. */
  readonly visitors: Readonly<Record<string, number | null>>;
  /** Epoch ms. */
  readonly countedFrom: number;
  readonly digest: string;
}

/** Records that a mail was accepted for everybody. */
export async function mailSucceeded(db: Kysely<unknown>, id: string, sent: SentReport): Promise<void> {
  await recordSent(db, id, sent);
  await sql`
    update report_mail set delivered_at = now(), last_problem = null, remaining = '{}' where id = ${id}`.execute(
    db,
  );
}

/** The outcome of an attempt that was not accepted for every recipient. */
export interface FailedAttempt {
  readonly problem: string;
  /** The recipients who have not received it. */
  readonly remaining: readonly string[];
  /** If a recipient has received it, now or before. */
  readonly sent: SentReport | undefined;
}

/**
 * Records a failed attempt. The next one is after `pause` ms; undefined: there is none, nor is there one of a mail that was
 * given up meanwhile.
 */
export async function mailFailed(
  db: Kysely<unknown>,
  id: string,
  { problem, remaining, sent }: FailedAttempt,
  pause: number | undefined,
): Promise<void> {
  if (sent) await recordSent(db, id, sent);
  await sql`
    update report_mail set last_problem = ${problem}, remaining = ${[...remaining]},
      given_up_at = case when ${pause ?? null}::float8 is null then now() end,
      next_attempt_at = ${inMs(pause ?? 0)}
    where id = ${id} and given_up_at is null`.execute(db);
}

async function recordSent(
  db: Kysely<unknown>,
  id: string,
  { visitors, countedFrom, digest }: SentReport,
): Promise<void> {
  await sql`
    update report_mail set digest = ${digest}, visitors = ${JSON.stringify(visitors)},
      counted_from = ${timestamp(countedFrom)}
    where id = ${id}`.execute(db);
}
