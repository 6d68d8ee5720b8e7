import { findDatabase } from '@visitor-counter/database/embedded/find-database';
import { migrate } from '@visitor-counter/database/migrations/migrate';
import { connect, type Database } from '@visitor-counter/database/sql/connect';
import type { Environment } from '@visitor-counter/service/settings/environment';

/**
 * Connects to the database, migrates it (an operator may run commands before the first service), and closes the
 * connection after `use`.
 */
export async function withDatabase<Result>(
  env: Environment,
  use: (db: Database, url: string) => Promise<Result>,
): Promise<Result> {
  const url = await findDatabase(env);
  await migrate(url);
  const db = connect(url, { applicationName: 'visitor-counter admin', maxConnections: 1 });
  try {
    return await use(db, url);
  } finally {
    await db.close();
  }
}
