import { alertKinds } from '@visitor-counter/database/alerts/alert-kinds';
import { credentialKinds } from '@visitor-counter/database/credentials/credentials';
import { reportPeriods } from '@visitor-counter/database/reports/mail-reports';
import { mailLanguages } from '@visitor-counter/domain/mail';
import Type from 'typebox';
import { entries, entry } from './entry.ts';
import {
  capacity,
  dayStart,
  duration,
  expires,
  freeText,
  identifier,
  mailAddress,
  mailAddresses,
  name,
  nameOrNull,
  openingHours,
  retentionMonths,
  secret,
  serial,
  sids,
  sidsOrAll,
  since,
  staff,
  threshold,
  timeZone,
  trueOrFalse,
  webhookSecret,
  webhookUrl,
} from './values.ts';

/** The schema of a topology file. Keys are required; other properties may be left out and are then unchanged. */

export const Store = entry({
  sid: identifier,
  name: Type.Optional(name),
  address: Type.Optional(freeText),
  city: Type.Optional(freeText),
  timeZone: Type.Optional(timeZone),
  dayStartsAt: Type.Optional(dayStart),
  capacity: Type.Optional(capacity),
  openingHours: Type.Optional(openingHours),
  staff: Type.Optional(staff),
});

export const ShopGroup = entry({
  name,
  stores: Type.Optional(sids),
});

export const Device = entry({
  serial,
  name: Type.Optional(name),
  store: Type.Optional(identifier),
  since: Type.Optional(since),
  secret: Type.Optional(secret),
  retired: Type.Optional(trueOrFalse),
});

export const Credential = entry({
  kind: Type.Enum(credentialKinds, { description: `one of ${credentialKinds.join(', ')}` }),
  label: identifier,
  value: Type.Optional(secret),
  expires: Type.Optional(expires),
  stores: Type.Optional(sidsOrAll),
  settings: Type.Optional(trueOrFalse),
});

export const AlertRule = entry({
  kind: Type.Enum(alertKinds, { description: `one of ${alertKinds.join(', ')}` }),
  after: Type.Optional(duration),
  threshold: Type.Optional(threshold),
  enabled: Type.Optional(trueOrFalse),
});

const language = Type.Enum([...mailLanguages], { description: `one of ${mailLanguages.join(', ')}` });

export const AlertTarget = entry({
  label: identifier,
  url: Type.Optional(webhookUrl),
  mail: Type.Optional(mailAddress),
  secret: Type.Optional(webhookSecret),
  language: Type.Optional(language),
  enabled: Type.Optional(trueOrFalse),
});

export const Report = entry({
  name,
  period: Type.Optional(Type.Enum([...reportPeriods], { description: `one of ${reportPeriods.join(', ')}` })),
  recipients: Type.Optional(mailAddresses),
  language: Type.Optional(language),
  group: Type.Optional(nameOrNull),
  stores: Type.Optional(sidsOrAll),
  enabled: Type.Optional(trueOrFalse),
});

export const Company = entry({
  name,
  retentionMonths: Type.Optional(retentionMonths),
  stores: entries(Store),
  shopGroups: entries(ShopGroup),
  devices: entries(Device),
  credentials: entries(Credential),
  alertRules: entries(AlertRule),
  alertTargets: entries(AlertTarget),
  reports: entries(Report),
});

export const Document = entry({ companies: Type.Array(Company, { description: 'a list' }) });

export type Store = Type.Static<typeof Store>;
export type ShopGroup = Type.Static<typeof ShopGroup>;
export type Device = Type.Static<typeof Device>;
export type Credential = Type.Static<typeof Credential>;
export type AlertRule = Type.Static<typeof AlertRule>;
export type AlertTarget = Type.Static<typeof AlertTarget>;
export type Report = Type.Static<typeof Report>;

export interface Company extends Type.Static<typeof Company> {
  /** Equal for all spellings of its name. */
  readonly key: string;
}
