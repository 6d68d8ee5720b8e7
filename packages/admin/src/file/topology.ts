import { alertKinds } from '@visitor-counter/database/alerts/alert-kinds';
import { reportPeriods } from '@visitor-counter/database/reports/mail-reports';
import { mailLanguages } from '@visitor-counter/domain/mail';
import Type from 'typebox';
import type { Entry } from './entry.ts';
import {
  capacity,
  duration,
  expires,
  freeText,
  identifier,
  list,
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
  timeOfDay,
  timeZone,
  trueOrFalse,
  webhookSecret,
  webhookUrl,
} from './values.ts';

export const credentialKinds = ['counts', 'life-signal', 'staff', 'sales'] as const;

/** The schema of a topology file. Keys are required; other properties may be left out and are then unchanged. */

export const Document = Type.Object({ companies: list });

export const Company = Type.Object({
  name,
  retentionMonths: Type.Optional(retentionMonths),
  stores: Type.Optional(list),
  shopGroups: Type.Optional(list),
  devices: Type.Optional(list),
  credentials: Type.Optional(list),
  alertRules: Type.Optional(list),
  alertTargets: Type.Optional(list),
  reports: Type.Optional(list),
});

export const Store = Type.Object({
  sid: identifier,
  name: Type.Optional(name),
  address: Type.Optional(freeText),
  city: Type.Optional(freeText),
  timeZone: Type.Optional(timeZone),
  dayStartsAt: Type.Optional(timeOfDay),
  capacity: Type.Optional(capacity),
  openingHours: Type.Optional(openingHours),
  staff: Type.Optional(staff),
});

export const ShopGroup = Type.Object({
  name,
  stores: Type.Optional(sids),
});

export const Device = Type.Object({
  serial,
  name: Type.Optional(name),
  store: Type.Optional(identifier),
  since: Type.Optional(since),
  secret: Type.Optional(secret),
  retired: Type.Optional(trueOrFalse),
});

export const Credential = Type.Object({
  kind: Type.Enum(credentialKinds, { description: `one of ${credentialKinds.join(', ')}` }),
  label: identifier,
  value: Type.Optional(secret),
  expires: Type.Optional(expires),
  stores: Type.Optional(sidsOrAll),
  settings: Type.Optional(trueOrFalse),
});

export const AlertRule = Type.Object({
  kind: Type.Enum(alertKinds, { description: `one of ${alertKinds.join(', ')}` }),
  after: Type.Optional(duration),
  threshold: Type.Optional(threshold),
  enabled: Type.Optional(trueOrFalse),
});

const language = Type.Enum([...mailLanguages], { description: `one of ${mailLanguages.join(', ')}` });

export const AlertTarget = Type.Object({
  label: identifier,
  url: Type.Optional(webhookUrl),
  mail: Type.Optional(mailAddress),
  secret: Type.Optional(webhookSecret),
  language: Type.Optional(language),
  enabled: Type.Optional(trueOrFalse),
});

export const Report = Type.Object({
  name,
  period: Type.Optional(Type.Enum([...reportPeriods], { description: `one of ${reportPeriods.join(', ')}` })),
  recipients: Type.Optional(mailAddresses),
  language: Type.Optional(language),
  group: Type.Optional(nameOrNull),
  stores: Type.Optional(sidsOrAll),
  enabled: Type.Optional(trueOrFalse),
});

export type Report = Type.Static<typeof Report>;
export type AlertRule = Type.Static<typeof AlertRule>;
export type AlertTarget = Type.Static<typeof AlertTarget>;
export type Store = Type.Static<typeof Store>;
export type ShopGroup = Type.Static<typeof ShopGroup>;
export type Device = Type.Static<typeof Device>;
export type Credential = Type.Static<typeof Credential>;

export interface Company {
  readonly path: string;
  readonly name: string;
  /** Equal for all spellings of its name. */
  readonly key: string;
  /** Null: for ever; undefined: unchanged. */
  readonly retentionMonths?: number | null | undefined;
  readonly stores: readonly Entry<Store>[];
  readonly shopGroups: readonly Entry<ShopGroup>[];
  readonly devices: readonly Entry<Device>[];
  readonly credentials: readonly Entry<Credential>[];
  readonly alertRules: readonly Entry<AlertRule>[];
  readonly alertTargets: readonly Entry<AlertTarget>[];
  readonly reports: readonly Entry<Report>[];
}

export interface Topology {
  readonly companies: readonly Company[];
}
