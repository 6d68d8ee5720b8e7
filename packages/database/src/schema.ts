import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { AlertKind, RuleKind } from './alerts/alert-kind.ts';
import type { EnrolmentAttemptTable, EnrolmentCodeTable } from './enrolment/tables.ts';

/** The tables as Kysely sees them; the migrations are what makes them. */
export interface Schema {
  installation: InstallationTable;
  history: HistoryTable;
  company: CompanyTable;
  store: StoreTable;
  store_version: { singleton: Generated<boolean>; version: string };
  shop_group: ShopGroupTable;
  shop_group_store: { shop_group_id: number; store_id: number };
  device: DeviceTable;
  device_assignment: { device_id: number; since: Instant; store_id: number };
  device_state: DeviceStateTable;
  device_connection: DeviceConnectionView;
  gateway: { id: string; seen_at: Instant; believed_until: Instant };
  journal: { id: Generated<number>; device_id: number; name: string; created_at: GeneratedInstant };
  device_day: { device_id: number; day: number; crossed: BigInt64; arrived: BigInt64 };
  journal_progress: { journal_id: number; through: BigInt64; checked: BigInt64 };
  journal_uncounted: JournalUncountedTable;
  journal_missing: JournalMissingTable;
  device_recovery: DeviceRecoveryTable;
  cloned_journal: ClonedJournalTable;
  crossing: CrossingTable;
  crossing_void: CrossingVoidTable;
  crossing_void_restored: {
    void_id: number;
    entered_by: string;
    entered_at: GeneratedInstant;
    crossings: number;
  };
  occupancy_quarter: OccupancyQuarterTable;
  change: {
    id: GeneratedAlways<string>;
    written_at: GeneratedInstant;
    changes: ColumnType<unknown, string, never>;
  };
  correction: CorrectionTable;
  rejected_message: RejectedMessageTable;
  credential: CredentialTable;
  credential_store: { credential_id: number; store_id: number };
  ingest_life: { singleton: Generated<boolean>; since: Instant; seen_at: Instant };
  alert_rule: AlertRuleTable;
  agent_version: { company_id: number; version: string; since: GeneratedInstant };
  alert_target: AlertTargetTable;
  alert: AlertTable;
  alert_delivery: AlertDeliveryTable;
  store_direction: { store_id: number; day_start: Instant; score: number };
  doubtful_direction: { device_id: number; since: Instant };
  failing_storage: { device_id: number; since: Instant };
  blocked_beam: { device_id: number; position: number; since: Instant };
  session: SessionTable;
  enrolment_code: EnrolmentCodeTable;
  enrolment_attempt: EnrolmentAttemptTable;
  device_config: DeviceConfigTable;
  device_command: DeviceCommandTable;
  device_diagnosis: { device_id: number; command_id: string; received_at: GeneratedInstant; report: unknown };
}

/** A timestamptz: read as Date, written as Date or as text that PostgreSQL reads, such as `-infinity`. */
type Instant = ColumnType<Date, Date | string, Date | string>;
type GeneratedInstant = ColumnType<Date, Date | string | undefined, Date | string>;
type NullableInstant = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
/** A bigint: read as text, since it can be larger than a number. */
type BigInt64 = ColumnType<string, string | number | bigint, string | number | bigint>;
type NullableBigInt64 = ColumnType<string | null, number | null | undefined, number | null>;

interface InstallationTable {
  singleton: Generated<boolean>;
  id: Generated<string>;
  created_at: GeneratedInstant;
  /** Added to the server's own numbers of transactions. */
  transactions_before: Generated<BigInt64>;
}

/** What one run of one server has done with these tables; the highest number is the present one. */
interface HistoryTable {
  number: GeneratedAlways<number>;
  id: Generated<string>;
  origin: string;
  /** The last transaction that it shares with the history before it. */
  after_transaction: BigInt64;
  begun_at: GeneratedInstant;
}

interface CompanyTable {
  id: GeneratedAlways<number>;
  name: string;
  name_key: string;
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
  /** People that may be inside at a time. */
  capacity: ColumnType<number | null, number | null | undefined, number | null>;
  created_at: GeneratedInstant;
}

interface ShopGroupTable {
  id: GeneratedAlways<number>;
  company_id: number;
  name: string;
  name_key: string;
}

interface DeviceTable {
  id: GeneratedAlways<number>;
  company_id: number;
  serial: string;
  serial_key: string;
  name: string;
  secret_hash: Buffer;
  registered_at: GeneratedInstant;
  retired_at: NullableInstant;
  secret_revoked_at: NullableInstant;
}

interface DeviceStateTable {
  device_id: number;
  last_activity_at: NullableInstant;
  connection_generation: ColumnType<string, string | number | bigint | undefined, string | number | bigint>;
  /** As the gateway said last, which may be dead: `device_connection` tells whether that still holds. */
  online: Generated<boolean>;
  online_changed_at: NullableInstant;
  heartbeat_at: NullableInstant;
  heartbeat: ColumnType<unknown, string | null, string | null>;
  /** Holds the newest connection; null when another broker does. */
  gateway_id: ColumnType<string | null, string | null | undefined, string | null>;
}

/** Whether a device is connected: what was said of it, for as long as the gateway that said it is believed. */
interface DeviceConnectionView {
  device_id: ColumnType<number, never, never>;
  online: ColumnType<boolean, never, never>;
  online_changed_at: ColumnType<Date | null, never, never>;
}

interface CrossingVoidTable {
  id: number;
  device_id: number;
  from_at: Instant;
  until_at: Instant;
  reason: string;
  entered_by: string;
  entered_at: GeneratedInstant;
  crossings: number;
  counts: ColumnType<unknown, string, never>;
}

interface CrossingTable {
  journal_id: number;
  device_id: number;
  sequence: BigInt64;
  at: Instant;
  /** Of a voided crossing the negative id of its void. */
  store_id: number;
  uncertainty_ms: ColumnType<string | null, number | null | undefined, number | null>;
  direction: number;
  /** Who wrote the row last; grows in the order in which transactions begin to write. */
  transaction: Generated<BigInt64>;
}

/** Sequences that are accounted for without a stored crossing. */
interface JournalUncountedTable {
  journal_id: number;
  first: BigInt64;
  last: BigInt64;
  reason: 'rejected' | 'lost';
  since: GeneratedInstant;
}

/** Sequences that a unit has had acknowledged and that are not accounted for. */
interface JournalMissingTable {
  journal_id: number;
  device_id: number;
  first: BigInt64;
  last: BigInt64;
  since: GeneratedInstant;
}

/** The latest automatic request for what is missing of a device. */
interface DeviceRecoveryTable {
  device_id: number;
  command_id: BigInt64 | null;
  missing: BigInt64;
  attempts: Generated<number>;
  next_at: GeneratedInstant;
}

/** A journal that more than one unit writes; suspected until it is confirmed. */
interface ClonedJournalTable {
  journal_id: number;
  device_id: number;
  suspected_at: GeneratedInstant;
  /** The unit's own time of the heartbeat that raised the suspicion (epoch ms). */
  suspected_by: number | null;
  confirmed_at: NullableInstant;
  seen_at: GeneratedInstant;
  /** The earliest instant of a conflicting crossing. */
  conflicts_from: NullableInstant;
  command_id: BigInt64 | null;
  ordered_at: NullableInstant;
}

/** Settings that operators give a device; the revision grows with every change. */
interface DeviceConfigTable {
  device_id: number;
  revision: BigInt64;
  settings: ColumnType<unknown, string, string>;
  set_at: GeneratedInstant;
}

interface DeviceCommandTable {
  /** Random, from 1 to 2^48: never reused, not even after a restore. */
  id: BigInt64;
  device_id: number;
  command: ColumnType<unknown, string, never>;
  created_at: GeneratedInstant;
  expires_at: Instant;
  /** All that follows is what the unit's heartbeats report; `pending` until they do. */
  state: Generated<'pending' | 'running' | 'done' | 'failed'>;
  /** Of a resend: crossings sent so far, and how many there are to send. */
  sent: NullableBigInt64;
  total: NullableBigInt64;
  /** Why it failed. */
  problem: ColumnType<string | null, string | null | undefined, string | null>;
  /** Of a resend: ranges of sequences that the unit no longer has, `[[first, last], …]`. */
  missing: ColumnType<unknown, string | null | undefined, string | null>;
  /** When a gateway stored that it is done or failed; null until then. */
  finished_at: NullableInstant;
}

/** The state of a store's occupancy; a sum of null is -Infinity. */
interface OccupancyQuarterTable {
  store_id: number;
  /** Quarter hours since 1970, UTC. */
  quarter: number;
  sum: number | null;
  floor: Generated<number>;
  latest_at: NullableInstant;
}

/** Append-only: `people` of an entry that counts, `undoes` of one that takes another back. */
interface CorrectionTable {
  id: GeneratedAlways<string>;
  store_id: number;
  at: Instant;
  people: ColumnType<number | null, number | undefined, never>;
  undoes: ColumnType<string | null, string | undefined, never>;
  entered_by: string;
  note: Generated<string>;
  credential_id: number | null;
  entered_at: GeneratedInstant;
}

interface RejectedMessageTable {
  id: GeneratedAlways<string>;
  device_id: number;
  received_at: GeneratedInstant;
  topic: string;
  reason: string;
  payload: Buffer;
  digest: Buffer;
}

export type CredentialKind = 'counts' | 'life-signal' | 'staff';

interface CredentialTable {
  id: GeneratedAlways<number>;
  company_id: number;
  kind: CredentialKind;
  label: string;
  hash: Buffer;
  created_at: GeneratedInstant;
  expires_at: NullableInstant;
  revoked_at: NullableInstant;
  last_used_at: NullableInstant;
  limited: Generated<boolean>;
}

interface AlertRuleTable {
  company_id: number;
  kind: RuleKind;
  after_seconds: number;
  threshold: Generated<string | null>;
  enabled: Generated<boolean>;
}

interface AlertTargetTable {
  id: GeneratedAlways<number>;
  company_id: number;
  label: string;
  kind: 'webhook' | 'mail';
  address: string;
  secret: string | null;
  enabled: Generated<boolean>;
}

interface AlertTable {
  id: Generated<string>;
  company_id: number;
  kind: AlertKind;
  subject: string;
  store_id: number | null;
  device_id: number | null;
  about: ColumnType<unknown, string, string>;
  began_at: Instant;
  raised_at: GeneratedInstant;
  cleared_at: NullableInstant;
}

interface AlertDeliveryTable {
  id: GeneratedAlways<string>;
  alert_id: string;
  target_id: number;
  phase: 'raised' | 'cleared';
  created_at: GeneratedInstant;
  attempts: Generated<number>;
  next_attempt_at: GeneratedInstant;
  delivered_at: NullableInstant;
  given_up_at: NullableInstant;
  last_problem: string | null;
}

/** `hash`: SHA-256 of what the cookie holds. */
interface SessionTable {
  hash: Buffer;
  credential_id: number;
  created_at: Instant;
  expires_at: Instant;
}
