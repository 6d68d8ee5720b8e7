import type { Database } from '@visitor-counter/database/connect';

/** Whether the database can be worked with. */
export interface Availability {
  /** False until the schema is up to date for the first time. */
  ready(): boolean;
  /** Asks the database now. */
  check(): Promise<boolean>;
}

export function databaseAvailability(database: Database, migrated: () => boolean): Availability {
  return {
    ready: migrated,
    check: async () => migrated() && (await answers(database)),
  };
}

async function answers(database: Database): Promise<boolean> {
  try {
    await database.pool.query('select');
    return true;
  } catch {
    return false;
  }
}
