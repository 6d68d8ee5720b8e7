import type { Generated } from 'kysely';
import type { BigInt64, GeneratedInstant, NullableInstant } from './columns.ts';

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
