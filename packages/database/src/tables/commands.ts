import type { ColumnType, Generated } from 'kysely';
import type { BigInt64, GeneratedInstant, Instant, NullableBigInt64, NullableInstant } from './columns.ts';

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
