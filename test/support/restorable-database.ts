import { randomBytes } from 'node:crypto';
import { createDatabase, dropDatabase, withClient } from '@visitor-counter/database/sql/create-database';
import { inject, onTestFinished } from 'vitest';
import { testDatabase } from './test-database.ts';

/** A database of one test that can be reset to an earlier state, like a restored backup. */
export interface RestorableDatabase {
  readonly url: string;
  /** Copies the database, ending all connections to it. */
  dump(): Promise<void>;
  /** Replaces the database by its last copy, ending all connections to it. */
  restore(): Promise<void>;
}

/** Clones a migrated, empty database for the running test. */
export async function restorableDatabase(): Promise<RestorableDatabase> {
  const server = inject('databaseServer');
  const url = await testDatabase();
  const name = new URL(url).pathname.slice(1);
  const copy = `test_${randomBytes(6).toString('hex')}`;
  onTestFinished(() => dropDatabase(server, copy));
  const replace = async (target: string, source: string) => {
    await dropDatabase(server, target);
    await endConnections(server, source);
    await createDatabase(server, target, `template ${source} strategy file_copy`);
  };
  return { url, dump: () => replace(copy, name), restore: () => replace(name, copy) };
}

async function endConnections(server: string, database: string): Promise<void> {
  await withClient(server, (client) =>
    client.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [
      database,
    ]),
  );
}
