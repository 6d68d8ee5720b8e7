import { type Kysely, sql } from 'kysely';
import { type Author, recordAudit } from '../audit/record-audit.ts';
import { timestamp } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';
import { type DueMail, testVersion } from './report-mails.ts';

/** Queues a test of a report, instead of an earlier one, with an entry in the audit log. */
export async function queueTest(
  db: Kysely<DB>,
  author: Author,
  { reportId, from, to, countedUntil }: DueMail,
  recipient: string,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`delete from report_mail where mail_report_id = ${reportId} and version = ${testVersion}`.execute(
      trx,
    );
    await sql`
      insert into report_mail (mail_report_id, first_date, last_date, version, counted_until, remaining)
      values (${reportId}, ${from}, ${to}, ${testVersion}, ${timestamp(countedUntil)}, ${[recipient]})`.execute(
      trx,
    );
    const { rows } = await sql<{ company: string; key: string }>`
      select company.name as company, mail_report.name as key
      from mail_report join company on company.id = company_id where mail_report.id = ${reportId}`.execute(
      trx,
    );
    for (const { company, key } of rows)
      await recordAudit(trx, author, {
        action: 'test sent',
        company,
        subject: { kind: 'mail report', key },
        details: { to: recipient },
      });
  });
}
