import { randomBytes } from 'node:crypto';
import { createDatabase, dropDatabase } from '@visitor-counter/database/sql/create-database';
import { inject, onTestFinished } from 'vitest';
import { templateDatabase } from './database-server.ts';

/** A migrated, empty database of a test's own. */
export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Clones a database; the caller drops it (`afterAll`). */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject('databaseServer');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await createDatabase(server, name, `template ${templateDatabase} strategy file_copy`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => dropDatabase(server, name) };
}

/** Clones a database for the test that runs, and drops it when that test has finished. */
export async function testDatabase(): Promise<string> {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  return database.url;
}
