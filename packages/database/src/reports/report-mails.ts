import type { MailLanguage } from '@visitor-counter/domain/mail';
import type { IsoDate } from '@visitor-counter/domain/time-zone';
import { sql } from 'kysely';
import { type Author, recordAudit } from '../audit/audit-log.ts';
import { isPending } from '../outbox/outbox.ts';
import { type Db, instant, timestamp } from '../sql/query-builder.ts';
import { type ReportPeriod, storesOfReport } from './mail-reports.ts';

/** A period of a report, which counts what happened before `countedUntil` (epoch ms). */
export interface DueMail {
  readonly reportId: number;
  readonly from: IsoDate;
  readonly to: IsoDate;
  readonly countedUntil: number;
}

/** Queues the mails that no process has queued before. */
export async function queueMails(db: Db, due: readonly DueMail[]): Promise<void> {
  const mails = due.map((one) => ({ ...one, countedUntil: timestamp(one.countedUntil) }));
  await sql`
    insert into outbox (channel, kind, mail_report_id, first_date, last_date, counted_until)
    select 'report', 'report', "reportId", "from", "to", "countedUntil"
    from json_to_recordset(${JSON.stringify(mails)})
      as due ("reportId" integer, "from" date, "to" date, "countedUntil" timestamptz)
    join mail_report on mail_report.id = "reportId" and enabled
    on conflict do nothing`.execute(db);
}

/** How long after its time a report is sent again when it has become complete (ms). */
const completing = 7 * 86_400_000;

/** The ids of reports that were incomplete when they were sent, and can still be sent again; `now` in epoch ms. */
export async function incompleteMails(db: Db, now: number): Promise<string[]> {
  const mails = await db
    .selectFrom('outbox as mail')
    .innerJoin('mailReport as report', 'report.id', 'mailReportId')
    .select('mail.id')
    .where('report.enabled', '=', true)
    .where('kind', '=', 'report')
    .where(sql<boolean>`incomplete_to <> '{}'`)
    .where(({ not }) => not(isPending))
    .where('countedUntil', '>', instant(now - completing))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('outbox as again')
            .whereRef('again.mailReportId', '=', 'mail.mailReportId')
            .whereRef('again.firstDate', '=', 'mail.firstDate')
            .whereRef('again.lastDate', '=', 'mail.lastDate')
            .where('again.kind', '=', 'completed'),
        ),
      ),
    )
    .orderBy('countedUntil')
    .execute();
  return mails.map(({ id }) => id);
}

/** Queues a mail once more, to those who have received it incomplete. */
export async function queueCompletedMail(db: Db, id: string): Promise<void> {
  await sql`
    insert into outbox (channel, kind, mail_report_id, first_date, last_date, counted_until, incomplete_to)
    select channel, 'completed', mail_report_id, first_date, last_date, counted_until, incomplete_to
    from outbox where id = ${id}
    on conflict do nothing`.execute(db);
}

/** Removes mails about times more than 90 days ago; the last one of each report is kept. */
export async function removeOldMails(db: Db): Promise<void> {
  await db
    .deleteFrom('outbox as mail')
    .where('countedUntil', '<', sql<number>`now() - interval '90 days'`)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('outbox as later')
          .whereRef('later.mailReportId', '=', 'mail.mailReportId')
          .whereRef('later.countedUntil', '>', 'mail.countedUntil'),
      ),
    )
    .execute();
}

/** Queues a test of a report, instead of an earlier one, with an entry in the audit log. */
export async function queueTest(
  db: Db,
  author: Author,
  { reportId, from, to, countedUntil }: DueMail,
  recipient: string,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    /* Of two tests at a time, the second one replaces the first one. */
    const { company, key } = await trx
      .selectFrom('mailReport')
      .innerJoin('company', 'company.id', 'companyId')
      .select(['company.name as company', 'mailReport.name as key'])
      .where('mailReport.id', '=', reportId)
      .forNoKeyUpdate('mailReport')
      .executeTakeFirstOrThrow();
    await trx.deleteFrom('outbox').where('mailReportId', '=', reportId).where('kind', '=', 'test').execute();
    await trx
      .insertInto('outbox')
      .values({
        channel: 'report',
        mailReportId: reportId,
        firstDate: from,
        lastDate: to,
        kind: 'test',
        countedUntil: instant(countedUntil),
        testTo: recipient,
      })
      .execute();
    const subject = { kind: 'mail report', key } as const;
    await recordAudit(trx, author, { action: 'test sent', company, subject, details: { to: recipient } });
  });
}

/** A mail to send. Instants are epoch ms. */
export interface ReportMail extends DueMail {
  readonly id: string;
  readonly name: string;
  readonly companyId: number;
  readonly company: string;
  readonly group: string | null;
  readonly period: ReportPeriod;
  readonly language: MailLanguage;
  /** A test was asked for by a user, and goes to one recipient. */
  readonly kind: 'report' | 'completed' | 'test';
  /** Null: all stores of the company. */
  readonly storeIds: readonly number[] | null;
  /** The present recipients of the report, and those of them who have not received it. */
  readonly recipients: readonly string[];
  readonly remaining: readonly string[];
}

/** A queued mail, by its id; undefined if its report was removed. */
export async function readMail(db: Db, id: string): Promise<ReportMail | undefined> {
  const { rows } = await sql<ReportMail>`
    with mail as (select * from outbox where id = ${id}) ${selectMail}`.execute(db);
  return rows[0];
}

/** The mail of a period as it would be sent now; undefined if the report does not exist any more. */
export async function mailOf(
  db: Db,
  { reportId, from, to, countedUntil }: DueMail,
): Promise<ReportMail | undefined> {
  const mail = { mail_report_id: reportId, first_date: from, last_date: to, kind: 'report', sent_to: [] };
  const row = JSON.stringify({ ...mail, counted_until: timestamp(countedUntil) });
  const { rows } = await sql<ReportMail>`
    with mail as (select * from json_populate_record(null::outbox, ${row})) ${selectMail}`.execute(db);
  return rows[0] && { ...rows[0], id: '' };
}

/** Of the row of `mail`: the mail. The report may have got another period since. */
const selectMail = sql`
    select mail.id, mail_report.id as report_id, mail_report.name, mail_report.company_id, company.name as company,
      shop_group.name as group,
      case mail.last_date - mail.first_date when 0 then 'daily' when 6 then 'weekly' else 'monthly' end as period,
      language, mail.first_date as from, mail.last_date as to, mail.kind, mail.counted_until,
      ${storesOfReport} as store_ids, addressed.recipients,
      array(select one from unnest(addressed.recipients) as one where one <> all(sent_to)) as remaining
    from mail
    join mail_report on mail_report.id = mail.mail_report_id
    cross join lateral (select case mail.kind
      when 'test' then array[test_to]
      when 'completed' then array(select one from unnest(mail_report.recipients) as one where one = any(incomplete_to))
      else mail_report.recipients
    end as recipients) addressed
    join company on company.id = mail_report.company_id
    left join shop_group on shop_group.id = mail_report.shop_group_id`;

/** Records for which recipients a mail server has accepted a mail, and whether it was incomplete. */
export async function recordSent(
  db: Db,
  id: string,
  isIncomplete: boolean,
  recipients: readonly string[],
): Promise<void> {
  await db
    .updateTable('outbox')
    .set({
      sentTo: sql<string[]>`sent_to || ${[...recipients]}`,
      incompleteTo: sql<string[]>`incomplete_to || ${isIncomplete ? [...recipients] : []}`,
    })
    .where('id', '=', id)
    .execute();
}
