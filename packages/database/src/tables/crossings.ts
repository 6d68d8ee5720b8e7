import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { BigInt64, GeneratedInstant, Instant, NullableInstant } from './columns.ts';

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

/** Which sequences of each journal are stored, known not to be counted, or missing. */
export interface CoverageTables {
  journal_progress: { journal_id: number; through: BigInt64; checked: BigInt64 };
  journal_uncounted: JournalUncountedTable;
  journal_missing: JournalMissingTable;
  device_recovery: DeviceRecoveryTable;
  cloned_journal: ClonedJournalTable;
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

/** The latest automatic request for missing crossings of a device. */
interface DeviceRecoveryTable {
  device_id: number;
  command_id: BigInt64 | null;
  missing: BigInt64;
  attempts: Generated<number>;
  next_at: GeneratedInstant;
}

/** A journal that two units write, or one whose card was replaced by an older copy; suspected until confirmed. */
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

/** The projection, and the corrections that it includes. */
export interface OccupancyTables {
  occupancy_quarter: OccupancyQuarterTable;
  occupancy_day: OccupancyDayTable;
  device_quarter: DeviceQuarterTable;
  correction: CorrectionTable;
  store_direction: { store_id: number; day_start: Instant; score: number };
  doubtful_direction: { device_id: number; since: Instant };
}

/** What a quarter hour does to the occupancy of a store; a sum of null is -Infinity. */
interface OccupancyQuarterTable {
  store_id: number;
  /** Quarter hours since 1970, UTC. */
  quarter: number;
  sum: number | null;
  floor: number;
  peak_sum: number;
  peak_floor: number;
  latest_at: NullableInstant;
}

/** What a device has counted in a quarter hour, in one store. */
interface DeviceQuarterTable {
  store_id: number;
  quarter: number;
  device_id: number;
  entries: number;
  exits: number;
}

/** The quarters of a store in [`first_quarter`, `next_quarter`) as one. */
interface OccupancyDayTable extends Omit<OccupancyQuarterTable, 'quarter'> {
  first_quarter: number;
  next_quarter: number;
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
