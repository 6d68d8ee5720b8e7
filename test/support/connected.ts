import { connect, type Database } from '@visitor-counter/database/sql/connect';
import { onTestFinished } from 'vitest';

/** A database for the test that runs; it is closed at its end. */
export function connected(url: string): Database {
  const database = connect(url, { applicationName: 'test' });
  onTestFinished(() => database.close());
  return database;
}
