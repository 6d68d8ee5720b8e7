import { randomBytes } from 'node:crypto';
import { dropDatabase, withClient } from '@visitor-counter/database/sql/create-database';
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest';
import { templateDatabase } from './database-server.ts';

/** A migrated, empty database of a test's own. */
export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Clones a database; the caller drops it (`afterAll`). */
export async function createTestDatabase(template = templateDatabase): Promise<TestDatabase> {
  const server = inject('databaseServer');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await withClient(server, (client) =>
    client.query(`create database ${name} template ${template} strategy file_copy`),
  );
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => dropDatabase(server, name) };
}

/** Clones a database for the test that runs, and drops it when that test has finished. */
export async function testDatabase(template?: string): Promise<string> {
  const database = await createTestDatabase(template);
  onTestFinished(() => database.drop());
  return database.url;
}

/** Fills a database before the first test of a file; the function that is returned clones it for the test that runs. */
export function filledDatabase(fill: (url: string) => Promise<void>): () => Promise<string> {
  let filled: TestDatabase | undefined;
  beforeAll(async () => {
    filled = await createTestDatabase();
    await fill(filled.url);
  });
  afterAll(() => filled?.drop());
  return () => {
    if (filled === undefined) throw new Error('to be called in a test');
    return testDatabase(new URL(filled.url).pathname.slice(1));
  };
}
