import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { BigInt64, GeneratedInstant, Instant } from './columns.ts';

/** The log, and what was removed from it or could not be added to it. */
export interface CrossingTables {
  journal: { id: Generated<number>; device_id: number; name: string; created_at: GeneratedInstant };
  crossing: CrossingTable;
  change: ChangeTable;
  crossing_void: CrossingVoidTable;
  crossing_void_restored: CrossingVoidRestoredTable;
  rejected_message: RejectedMessageTable;
  device_recovery: DeviceRecoveryTable;
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
  /** The transaction that last wrote the row; grows in the order in which transactions begin to write. */
  transaction: Generated<BigInt64>;
}

/** What a transaction has changed and the projector has not applied yet: a list of `ChangeEntry`. */
interface ChangeTable {
  id: GeneratedAlways<string>;
  written_at: GeneratedInstant;
  changes: ColumnType<unknown, string, never>;
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

interface CrossingVoidRestoredTable {
  void_id: number;
  entered_by: string;
  entered_at: GeneratedInstant;
  crossings: number;
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

/** The latest automatic request for missing crossings of a device. */
interface DeviceRecoveryTable {
  device_id: number;
  command_id: BigInt64 | null;
  missing: BigInt64;
  attempts: Generated<number>;
  next_at: GeneratedInstant;
}

/** The projection, and the corrections that it includes. */
export interface OccupancyTables {
  device_quarter: DeviceQuarterTable;
  correction: CorrectionTable;
  doubtful_direction: { device_id: number; since: Instant };
}

/** What a device has counted in a quarter hour, in one store. */
interface DeviceQuarterTable {
  store_id: number;
  quarter: number;
  device_id: number;
  entries: number;
  exits: number;
}

/** Rows are only inserted: an entry has either `people`, or in `undoes` the entry that it undoes. */
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
