import * as v from 'valibot';
import { request } from './calls.ts';
import { languageCodes } from './shapes.ts';

/* Requests about settings. All throw a RequestError. */

const List = <Item extends v.GenericSchema>(item: Item) => v.pipe(v.array(item), v.readonly());
/** By weekday: monday to sunday. */
const Week = <Item extends v.GenericSchema>(item: Item) => v.record(v.string(), List(item));

const Exception = v.object({ date: v.string(), open: List(v.string()), note: v.optional(v.string()) });
export type Exception = v.InferOutput<typeof Exception>;

const OpeningHours = v.object({ week: Week(v.string()), exceptions: List(Exception) });
export type OpeningHours = v.InferOutput<typeof OpeningHours>;

const StaffPlan = v.object({
  since: v.string(),
  week: Week(v.object({ at: v.string(), people: v.number() })),
});
export type StaffPlan = v.InferOutput<typeof StaffPlan>;

const StoreSettings = v.object({
  capacity: v.nullable(v.number()),
  openingHours: v.nullable(OpeningHours),
  staff: v.nullable(StaffPlan),
});
type StoreSettings = v.InferOutput<typeof StoreSettings>;

const pathOf = (sid: string) => `/v1/stores/${encodeURIComponent(sid)}`;

export const storeSettings = (sid: string) => request(`${pathOf(sid)}/settings`, StoreSettings);

export const saveStoreSettings = (sid: string, body: Partial<StoreSettings>) =>
  request(`${pathOf(sid)}/settings`, StoreSettings, { method: 'PUT', body });

const Imported = v.object({
  imported: v.array(Exception),
  leftOut: v.array(v.object({ summary: v.string(), date: v.nullable(v.string()), reason: v.string() })),
  openingHours: v.nullable(OpeningHours),
});
export type Imported = v.InferOutput<typeof Imported>;

/** Adds the events of an iCalendar file to the dates with other hours. */
export const importCalendar = (sid: string, file: string, allDayIsClosed: boolean) =>
  request(`${pathOf(sid)}/opening-hours/calendar${allDayIsClosed ? '?allDay=closed' : ''}`, Imported, {
    method: 'POST',
    body: file,
    mediaType: 'text/calendar',
  });

const AlertRule = v.object({
  kind: v.string(),
  after: v.number(),
  enabled: v.boolean(),
});
export type AlertRule = v.InferOutput<typeof AlertRule>;
const AlertRules = v.object({ items: v.array(AlertRule) });

export const alertRules = () => request('/v1/alert-rules', AlertRules);

export const saveAlertRules = (items: readonly AlertRule[]) =>
  request('/v1/alert-rules', AlertRules, { method: 'PUT', body: { items } });

const Recipient = v.object({
  label: v.optional(v.string()),
  mail: v.string(),
  language: v.picklist(languageCodes),
  enabled: v.boolean(),
});
export type Recipient = v.InferOutput<typeof Recipient>;
const Recipients = v.object({ items: v.array(Recipient) });

export const alertRecipients = () => request('/v1/alert-recipients', Recipients);

export const saveAlertRecipients = (items: readonly Recipient[]) =>
  request('/v1/alert-recipients', Recipients, { method: 'PUT', body: { items } });
