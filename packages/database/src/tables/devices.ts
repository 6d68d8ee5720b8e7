import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { BigInt64, GeneratedInstant, Instant, NullableBigInt64, NullableInstant } from './columns.ts';

export interface DeviceTables {
  device: DeviceTable;
  device_assignment: { device_id: number; since: Instant; store_id: number };
  gateway: { id: string; seen_at: Instant; believed_until: Instant };
  device_state: DeviceStateTable;
  device_connection: DeviceConnectionView;
}

interface DeviceTable {
  id: GeneratedAlways<number>;
  company_id: number;
  serial: string;
  serial_key: string;
  name: string;
  secret_hash: Buffer;
  secret_revoked_at: NullableInstant;
  registered_at: GeneratedInstant;
  retired_at: NullableInstant;
}

interface DeviceStateTable {
  device_id: number;
  last_activity_at: NullableInstant;
  heartbeat_at: NullableInstant;
  heartbeat: ColumnType<unknown, string | null, string | null>;
  connection_generation: ColumnType<string, string | number | bigint | undefined, string | number | bigint>;
  /** The gateway of the newest connection; null if the connection is with an external broker. */
  gateway_id: ColumnType<string | null, string | null | undefined, string | null>;
  /** As that gateway last reported; it may have died since. Read `device_connection`. */
  online: Generated<boolean>;
  online_changed_at: NullableInstant;
}

/** Whether a device is connected; what a gateway reports is valid only as long as the gateway is. */
interface DeviceConnectionView {
  device_id: ColumnType<number, never, never>;
  online: ColumnType<boolean, never, never>;
  online_changed_at: ColumnType<Date | null, never, never>;
}

export interface CommandTables {
  device_config: DeviceConfigTable;
  device_command: DeviceCommandTable;
  device_diagnosis: DeviceDiagnosisTable;
}

/** The settings of a device; every change has another random revision. */
interface DeviceConfigTable {
  device_id: number;
  revision: BigInt64;
  settings: ColumnType<unknown, string, string>;
  set_at: GeneratedInstant;
}

interface DeviceCommandTable {
  /** Random, from 1 to 2^48: never used again, even after a restore. */
  id: BigInt64;
  device_id: number;
  command: ColumnType<unknown, string, never>;
  created_at: GeneratedInstant;
  expires_at: Instant;
  /** This and all that follows is what the unit's heartbeats report; `pending` until they do. */
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

interface DeviceDiagnosisTable {
  device_id: number;
  command_id: string;
  received_at: GeneratedInstant;
  report: unknown;
}
