import { canRead } from '@visitor-counter/database/sql/can-read';
import type { Database } from '@visitor-counter/database/sql/connect';

/** Whether requests can be answered from the database. */
export interface Availability {
  /** False until the schema is up to date for the first time. */
  ready(): boolean;
  /** Asks the database now; false if requests cannot read in time, or open live streams are sent old numbers. */
  check(): Promise<boolean>;
}

/** What nearly every answer is read from. */
const tables = ['credential', 'store', 'crossing'] as const;

export function databaseAvailability(
  database: Database,
  migrated: () => boolean,
  isLiveReady: () => boolean,
): Availability {
  return {
    ready: migrated,
    check: async () => migrated() && isLiveReady() && (await canRead(database, tables)),
  };
}
