import { MailReport, saveMailReport } from '@visitor-counter/database/configuration/mail-report';
import { invalid } from '@visitor-counter/database/configuration/read-entry';
import { removeRow } from '@visitor-counter/database/configuration/save-row';
import { hasMailServer } from '@visitor-counter/database/outbox/outbox';
import { type ListedReport, reportsOf } from '@visitor-counter/database/reports/mail-reports';
import type { Db } from '@visitor-counter/database/sql/query-builder';
import { cleanName } from '@visitor-counter/domain/name-key';
import { utcText } from '@visitor-counter/domain/time';
import Type from 'typebox';
import type { Caller } from '../../access/callers.ts';
import { unknownResource } from '../../problems/problems.ts';
import { companySettings, route } from '../routing/route.ts';
import { instant, noOtherFields, orNull, text } from '../routing/shapes.ts';
import { configure } from '../settings/configure.ts';

export const reportShape = Type.Object(
  {
    id: Type.Integer({ description: 'Number of the report.' }),
    ...Type.Required(MailReport).properties,
    lastSentAt: orNull(instant('When its last mail was accepted by a mail server.')),
    problem: orNull(text('Why the last mail could not be sent yet.')),
    test: orNull(
      Type.Object(
        {
          sentAt: orNull(instant('When a mail server accepted it.')),
          problem: orNull(text('Why it could not be sent.')),
        },
        { description: 'The last test. It is under way while both are null.' },
      ),
    ),
  },
  { $id: 'MailReport' },
);

export const getMailReports = route(
  {
    method: 'GET',
    path: '/v1/mail-reports',
    summary: 'Reports that are sent by mail',
    ...companySettings,
    answer: Type.Object({
      items: Type.Array(reportShape),
      mailServer: orNull(
        Type.Boolean({
          description: 'Whether mail can be sent; null: nothing that sends it has started yet.',
        }),
      ),
    }),
  },
  async ({ caller }, { database }) => ({
    items: (await reportsOf(database.kysely, caller.companyId)).map(reportItem),
    mailServer: await hasMailServer(database.kysely),
  }),
);

/** Group and stores replace each other. */
const SomeReport = Type.Partial(MailReport, noOtherFields);
const { name, period, recipients, ...optional } = MailReport.properties;
const NewReport = Type.Object(
  { ...Type.Required(Type.Object({ name, period, recipients })).properties, ...optional },
  noOtherFields,
);
const bodyLimit = 1024 * 1024;

export const postMailReport = route(
  {
    method: 'POST',
    path: '/v1/mail-reports',
    summary: 'Add a report',
    ...companySettings,
    body: NewReport,
    bodyLimit,
    status: 201,
    answer: reportShape,
  },
  async (request, resources) => {
    const { body: given } = request;
    return await configure(request, resources, async (trx, owner) => {
      const isKnown = ({ name }: ListedReport) => name === cleanName(given.name);
      if ((await reportsOf(trx, owner.id)).some(isKnown))
        throw invalid('name', given.name, 'one that no other report has');
      await saveMailReport(trx, owner, given);
      const added = (await reportsOf(trx, owner.id)).find(isKnown);
      return added ? reportItem(added) : {};
    });
  },
);

export const putMailReport = route(
  {
    method: 'PUT',
    path: '/v1/mail-reports/:id',
    summary: 'Change the given fields of a report',
    ...companySettings,
    body: SomeReport,
    bodyLimit,
    answer: reportShape,
  },
  async (request, resources) => {
    const { body: given } = request;
    return await configure(request, resources, async (trx, owner) => {
      const { id } = await reportOf(trx, request.caller, request.path['id']);
      await saveMailReport(trx, owner, { ...given, id });
      return reportItem(await reportOf(trx, request.caller, request.path['id']));
    });
  },
);

export const deleteMailReport = route(
  {
    method: 'DELETE',
    path: '/v1/mail-reports/:id',
    summary: 'Remove a report; the answer is the removed report',
    ...companySettings,
    answer: reportShape,
  },
  async (request, resources) =>
    await configure(request, resources, async (trx) => {
      const known = await reportOf(trx, request.caller, request.path['id']);
      await removeRow(trx, 'mailReport', { id: known.id });
      return reportItem(known);
    }),
);

/** Throws `unknown_report`. */
export async function reportOf(db: Db, caller: Caller, id = ''): Promise<ListedReport> {
  const reports = await reportsOf(db, caller.companyId);
  const found = reports.find((one) => String(one.id) === id);
  if (found === undefined) throw unknownResource('report', 'id');
  return found;
}

export function reportItem({ company: _, lastSentAt, test, ...report }: ListedReport) {
  return {
    ...report,
    lastSentAt: lastSentAt && utcText(lastSentAt),
    test: test && { ...test, sentAt: test.sentAt && utcText(test.sentAt) },
  };
}
