import { scheduledReports } from '@visitor-counter/database/reports/mail-reports';
import { type DueMail, mailOf, queueTest } from '@visitor-counter/database/reports/report-mails';
import type { Database } from '@visitor-counter/database/sql/connect';
import { isMailAddress } from '@visitor-counter/domain/mail';
import { lastPeriod } from '@visitor-counter/reports/due';
import { reportHtml } from '@visitor-counter/reports/html';
import { readReport } from '@visitor-counter/reports/read-report';
import { ReportTexts } from '@visitor-counter/reports/report-texts';
import Type from 'typebox';
import type { Caller } from '../../access/callers.ts';
import { invalidParameter, unknownResource } from '../../problems/problems.ts';
import { companySettings, route } from '../routing/route.ts';
import { noOtherFields, text } from '../routing/shapes.ts';
import { reportItem, reportOf, reportShape } from './mail-reports.ts';

export const getMailReportPreview = route(
  {
    method: 'GET',
    path: '/v1/mail-reports/:id/preview',
    summary: 'A report about its last period, as the mail shows it',
    ...companySettings,
    places: 'exports',
    answer: text('A page.'),
    mediaType: 'text/html',
  },
  async ({ caller, path, signal }, { database, snapshots, now }) => {
    const due = await lastPeriodOf(database, caller, path['id'], now());
    await using snapshot = await snapshots.open(signal);
    const mail = await mailOf(snapshot.db, due);
    const content = mail && (await readReport(snapshot.db, mail));
    if (content === undefined) throw unknownResource('report', 'id');
    return Buffer.from(reportHtml(content, new ReportTexts(content)));
  },
);

export const postMailReportTest = route(
  {
    method: 'POST',
    path: '/v1/mail-reports/:id/test',
    summary: 'Send a report about its last period to one address',
    ...companySettings,
    body: Type.Object(
      { to: Type.String({ description: 'an e-mail address', maxLength: 300 }) },
      noOtherFields,
    ),
    status: 202,
    answer: reportShape,
  },
  async ({ caller, author, path, body }, { database, now }) => {
    const to = body.to.trim();
    if (!isMailAddress(to)) throw invalidParameter('to', body.to, 'an e-mail address');
    const { kysely } = database;
    await queueTest(kysely, author, await lastPeriodOf(database, caller, path['id'], now()), to);
    return reportItem(await reportOf(database.kysely, caller, path['id']));
  },
);

/** The last period of a report. Throws `unknown_report`, also if none of its stores is ever open. */
async function lastPeriodOf(
  database: Database,
  caller: Caller,
  id: string | undefined,
  now: number,
): Promise<DueMail> {
  const { id: known } = await reportOf(database.kysely, caller, id);
  const [report] = await scheduledReports(database.kysely, known);
  const period = report && lastPeriod(report, now);
  if (period === undefined) throw unknownResource('report', 'id');
  return period;
}
