import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { GeneratedInstant, Instant, NullableInstant } from './columns.ts';

/** The projection, and the corrections that it includes. */
export interface OccupancyTables {
  occupancy_quarter: OccupancyQuarterTable;
  occupancy_day: OccupancyDayTable;
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
  latest_at: NullableInstant;
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
