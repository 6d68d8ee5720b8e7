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
  device_day: { device_id: number; day: number; crossed: BigInt64; arrived: BigInt64 };
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
