import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { BigInt64, GeneratedInstant, Instant, NullableInstant } from './columns.ts';

export interface CompanyTables {
  installation: InstallationTable;
  company: CompanyTable;
  store: StoreTable;
  store_version: { singleton: Generated<boolean>; version: string };
  shop_group: ShopGroupTable;
  shop_group_store: { shop_group_id: number; store_id: number };
}

interface CompanyTable {
  id: GeneratedAlways<number>;
  name: string;
  name_key: string;
  /** How long its crossings are kept; null: for ever. */
  retention_months: ColumnType<number | null, number | null | undefined, number | null>;
  created_at: GeneratedInstant;
}

interface StoreTable {
  id: GeneratedAlways<number>;
  company_id: number;
  sid: string;
  name: string;
  address: Generated<string>;
  city: Generated<string>;
  time_zone: string;
  day_starts_at: Generated<string>;
  /** How many people may be inside at the same time. */
  capacity: ColumnType<number | null, number | null | undefined, number | null>;
  created_at: GeneratedInstant;
}

interface ShopGroupTable {
  id: GeneratedAlways<number>;
  company_id: number;
  name: string;
  name_key: string;
}

interface InstallationTable {
  singleton: Generated<boolean>;
  id: Generated<string>;
  /** Added to the server's own transaction numbers. */
  transactions_before: Generated<BigInt64>;
  created_at: GeneratedInstant;
}

export interface CredentialTables {
  credential: CredentialTable;
  credential_store: { credential_id: number; store_id: number };
  session: SessionTable;
}

export type CredentialKind = 'counts' | 'life-signal' | 'staff';

interface CredentialTable {
  id: GeneratedAlways<number>;
  company_id: number;
  kind: CredentialKind;
  label: string;
  /** SHA-256 of the credential. */
  hash: Buffer;
  /** Opens only the stores of `credential_store`. */
  limited: Generated<boolean>;
  created_at: GeneratedInstant;
  expires_at: NullableInstant;
  revoked_at: NullableInstant;
  last_used_at: NullableInstant;
}

interface SessionTable {
  /** SHA-256 of the content of the cookie. */
  hash: Buffer;
  credential_id: number;
  created_at: Instant;
  expires_at: Instant;
}

/** The result of an attempt to enrol with a known code. */
export type EnrolmentOutcome =
  | 'enrolled'
  | 'replaced'
  /** The unit has enrolled before and has not received the answer. */
  | 'repeated'
  | 'revoked'
  | 'expired'
  | 'used-up'
  /** A device has the serial, and the code is not for it. */
  | 'serial-taken'
  /** The code is for the unit of another serial. */
  | 'other-serial';

export interface EnrolmentTables {
  enrolment_code: EnrolmentCodeTable;
  enrolment_attempt: EnrolmentAttemptTable;
}

/** Exactly one of `store_id` and `replaces_device_id` is set. */
interface EnrolmentCodeTable {
  id: GeneratedAlways<number>;
  company_id: number;
  store_id: number | null;
  replaces_device_id: number | null;
  /** SHA-256 of the code. */
  hash: Buffer;
  uses: number;
  used: Generated<number>;
  created_at: ColumnType<Date, undefined, never>;
  expires_at: Date;
  revoked_at: ColumnType<Date | null, undefined, Date>;
}

interface EnrolmentAttemptTable {
  id: GeneratedAlways<string>;
  code_id: number;
  at: Date;
  address: string;
  serial: string;
  outcome: EnrolmentOutcome;
  device_id: number | null;
}
