import Type from 'typebox';
import type { Entry } from './entry.ts';
import * as field from './fields.ts';

/** The schema of a topology file. Keys are required; other properties may be left out and are then unchanged. */

export const Document = Type.Object({ companies: field.list });

export const Company = Type.Object({
  name: field.name,
  stores: Type.Optional(field.list),
  shopGroups: Type.Optional(field.list),
  devices: Type.Optional(field.list),
  credentials: Type.Optional(field.list),
  alertRules: Type.Optional(field.list),
  alertTargets: Type.Optional(field.list),
});

export const Store = Type.Object({
  sid: field.identifier,
  name: Type.Optional(field.name),
  address: Type.Optional(field.freeText),
  city: Type.Optional(field.freeText),
  timeZone: Type.Optional(field.timeZone),
  dayStartsAt: Type.Optional(field.timeOfDay),
  capacity: Type.Optional(field.capacity),
});

export const ShopGroup = Type.Object({
  name: field.name,
  stores: Type.Optional(field.sids),
});

export const Device = Type.Object({
  serial: field.serial,
  name: Type.Optional(field.name),
  store: Type.Optional(field.identifier),
  since: Type.Optional(field.since),
  secret: Type.Optional(field.secret),
  retired: Type.Optional(field.retired),
});

export const Credential = Type.Object({
  kind: field.kind,
  label: field.identifier,
  value: Type.Optional(field.secret),
  expires: Type.Optional(field.expires),
  stores: Type.Optional(field.sidsOrAll),
});

export const AlertRule = Type.Object({
  kind: field.alertKind,
  after: Type.Optional(field.duration),
  threshold: Type.Optional(field.threshold),
  enabled: Type.Optional(field.enabled),
});

export const AlertTarget = Type.Object({
  label: field.identifier,
  url: Type.Optional(field.webhookUrl),
  mail: Type.Optional(field.mailAddress),
  secret: Type.Optional(field.webhookSecret),
  enabled: Type.Optional(field.enabled),
});

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
  readonly stores: readonly Entry<Store>[];
  readonly shopGroups: readonly Entry<ShopGroup>[];
  readonly devices: readonly Entry<Device>[];
  readonly credentials: readonly Entry<Credential>[];
  readonly alertRules: readonly Entry<AlertRule>[];
  readonly alertTargets: readonly Entry<AlertTarget>[];
}

export interface Topology {
  readonly companies: readonly Company[];
}
