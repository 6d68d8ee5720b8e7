import { connect, type Database } from '@visitor-counter/database/sql/connect';
import { onTestFinished } from 'vitest';

/** A database for the test that runs; it is closed at its end. */
export function connected(url: string, maxConnections = 10): Database {
  const database = connect(url, { applicationName: 'test', maxConnections });
  /* A busy machine takes longer for a connection than the product waits. */
  database.pool.options.connectionTimeoutMillis = 0;
  onTestFinished(() => database.close());
  return database;
}
