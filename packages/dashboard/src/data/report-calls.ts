import * as v from 'valibot';
import { request } from './calls.ts';
import { instant, languageCodes } from './shapes.ts';

/* Requests about reports by mail. All throw a RequestError. */

const fields = {
  name: v.string(),
  period: v.picklist(['daily', 'weekly', 'monthly']),
  recipients: v.array(v.string()),
  language: v.picklist(languageCodes),
  hour: v.nullable(v.number()),
  group: v.nullable(v.string()),
  stores: v.nullable(v.array(v.string())),
  enabled: v.boolean(),
};
export const ReportToSave = v.object(fields);
export type ReportToSave = v.InferOutput<typeof ReportToSave>;

const Report = v.object({
  id: v.number(),
  ...fields,
  lastSentAt: v.nullable(instant),
  problem: v.nullable(v.string()),
  test: v.nullable(v.object({ sentAt: v.nullable(instant), problem: v.nullable(v.string()) })),
});
export type Report = v.InferOutput<typeof Report>;

const path = '/v1/mail-reports';

/** The reports of the company, and whether mail can be sent; null: that is not known yet. */
export const reports = () =>
  request(path, v.object({ items: v.array(Report), mailServer: v.nullable(v.boolean()) }));

/** Adds a report, or changes the one with this id. */
export const saveReport = (id: number | undefined, body: ReportToSave) =>
  id === undefined
    ? request(path, Report, { method: 'POST', body })
    : request(`${path}/${id}`, Report, { method: 'PUT', body });

export const removeReport = (id: number) => request(`${path}/${id}`, Report, { method: 'DELETE' });

export const previewAddress = (id: number) => `${path}/${id}/preview`;

/** Sends a report about its last period to one address; the test of the report then has the result. */
export const sendTest = (id: number, to: string) =>
  request(`${path}/${id}/test`, Report, { method: 'POST', body: { to } });
