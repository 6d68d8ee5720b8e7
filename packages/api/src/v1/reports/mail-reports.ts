import { hasMailServer } from '@visitor-counter/database/outbox/outbox';
import {
  changeReport,
  type ListedReport,
  type MailReport,
  mostRecipients,
  mostReports,
  reportPeriods,
  reportsOf,
} from '@visitor-counter/database/reports/mail-reports';
import type { Database } from '@visitor-counter/database/sql/connect';
import { mailLanguages } from '@visitor-counter/domain/mail';
import { utcText } from '@visitor-counter/domain/time';
import Type from 'typebox';
import type { Caller } from '../../access/callers.ts';
import { invalidParameter, unknownResource } from '../../problems/problems.ts';
import { companySettings, type RouteRequest, route } from '../routing/route.ts';
import { instant, noOtherFields, orNull, text } from '../routing/shapes.ts';
import { checked, nameExpected, recipientsExpected } from './given-report.ts';

const hourExpected = 'an hour from 0 to 23, or null';

const fields = {
  name: Type.String({ description: nameExpected, minLength: 1, maxLength: 200 }),
  period: Type.Enum([...reportPeriods], { description: 'daily, weekly or monthly' }),
  recipients: Type.Array(Type.String({ maxLength: 300 }), {
    description: recipientsExpected,
    minItems: 1,
    maxItems: mostRecipients,
  }),
  language: Type.Enum([...mailLanguages], { description: 'en, de, es or sl' }),
  hour: orNull(Type.Integer({ description: hourExpected, minimum: 0, maximum: 23 })),
  group: orNull(Type.String({ description: 'the name of a shop group', maxLength: 200 })),
  stores: orNull(Type.Array(Type.String({ maxLength: 200 }), { description: 'store ids', maxItems: 10_000 })),
  enabled: Type.Boolean({ description: 'true or false' }),
};
const { name, period, recipients } = fields;
const language = Type.Optional(fields.language);
const optional = {
  hour: Type.Optional({ ...fields.hour, description: hourExpected }),
  group: Type.Optional({ ...fields.group, description: 'the name of a shop group, or null' }),
  stores: Type.Optional({ ...fields.stores, description: 'a list of store ids, or null' }),
  enabled: Type.Optional(fields.enabled),
};

export const reportShape = Type.Object(
  {
    id: Type.Integer({ description: 'Number of the report.' }),
    ...fields,
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

export const postMailReport = route(
  {
    method: 'POST',
    path: '/v1/mail-reports',
    summary: 'Add a report',
    ...companySettings,
    body: Type.Object({ name, period, recipients, language, ...optional }, noOtherFields),
    status: 201,
    answer: reportShape,
  },
  async ({ caller, author, body }, { database }) => {
    const defaults = { language: 'en', hour: null, group: null, stores: null, enabled: true } as const;
    const report = await checked(database, caller, { ...defaults, ...body });
    return await change(database, { caller, author }, undefined, report);
  },
);

export const putMailReport = route(
  {
    method: 'PUT',
    path: '/v1/mail-reports/:id',
    summary: 'Change the given fields of a report',
    ...companySettings,
    body: Type.Partial(Type.Object({ name, period, recipients, language, ...optional }), noOtherFields),
    answer: reportShape,
  },
  async ({ caller, author, path, body }, { database }) => {
    const known = await reportOf(database, caller, path['id']);
    /* Of group and stores, the one that is given replaces the other. */
    const isGiven = body.group !== undefined || body.stores !== undefined;
    const { group, stores } = known;
    const cleared = isGiven ? { group: null, stores: null } : { group, stores };
    const { id, lastSentAt: _, problem: _problem, test: _test, ...before } = known;
    const report = await checked(database, caller, { ...before, ...cleared, ...body });
    return await change(database, { caller, author }, id, report);
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
  async ({ caller, author, path }, { database }) => {
    const known = await reportOf(database, caller, path['id']);
    const { companyId, company } = caller;
    await changeReport(database.kysely, author, { companyId, company, id: known.id, after: null });
    return reportItem(known);
  },
);

/** Throws `unknown_report`. */
export async function reportOf(database: Database, caller: Caller, id = ''): Promise<ListedReport> {
  const reports = await reportsOf(database.kysely, caller.companyId);
  const found = reports.find((one) => String(one.id) === id);
  if (found === undefined) throw unknownResource('report', 'id');
  return found;
}

async function change(
  database: Database,
  { caller, author }: Pick<RouteRequest<unknown, unknown>, 'caller' | 'author'>,
  id: number | undefined,
  after: MailReport,
): Promise<object> {
  const { companyId, company } = caller;
  const result = await changeReport(database.kysely, author, { companyId, company, id, after });
  if (result === 'unknown') throw unknownResource('report', 'id');
  if (result === 'name-taken') throw invalidParameter('name', after.name, 'one that no other report has');
  if (result === 'too-many')
    throw invalidParameter('name', after.name, `that of one of at most ${mostReports} reports`);
  const reports = await reportsOf(database.kysely, companyId);
  const stored = reports.find((one) => one.name === after.name);
  if (stored === undefined) throw unknownResource('report', 'id');
  return reportItem(stored);
}

export function reportItem({ company: _, lastSentAt, test, ...report }: ListedReport) {
  return {
    ...report,
    lastSentAt: lastSentAt && utcText(lastSentAt),
    test: test && { ...test, sentAt: test.sentAt && utcText(test.sentAt) },
  };
}
