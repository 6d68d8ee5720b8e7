import pg from 'pg';
import type { RunStatement } from '../sql/run-statement.ts';

/**
 * Takes over, from the tables that a restore of the same installation has replaced, which reports were mailed: those that were
 * mailed after the backup must not be mailed again. Reports that the backup does not have are left out. A database is restored
 * also if its previous tables cannot be read; then these reports are mailed again.
 */
export async function keepSentReports(run: RunStatement, previous: string): Promise<void> {
  const schema = pg.escapeIdentifier(previous);
  await run('begin-sent-reports', 'savepoint sent_reports', []);
  try {
    await run(
      'forget-restored-mails',
      `delete from report_mail where mail_report_id in (${same(schema)})`,
      [],
    );
    await run('keep-sent-reports', keepStatement(schema), []);
  } catch {
    await run('undo-sent-reports', 'rollback to savepoint sent_reports', []);
  }
}

/** The ids of the reports that are the same before and after. */
const same = (schema: string) => `
  select id from mail_report join ${schema}.mail_report before using (id, company_id, name)
  where (select id from installation) = (select id from ${schema}.installation)`;

const columns = `id, mail_report_id, first_date, last_date, version, counted_until, remaining, attempts, next_attempt_at,
  delivered_at, given_up_at, last_problem, visitors, counted_from, digest, seen_digest, seen_at`;

const keepStatement = (schema: string) => `
  insert into report_mail (${columns})
  select ${columns} from ${schema}.report_mail where mail_report_id in (${same(schema)})`;
