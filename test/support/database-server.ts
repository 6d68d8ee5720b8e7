import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedServer } from '@visitor-counter/database/embedded/server';
import { migrate } from '@visitor-counter/database/migrations/migrate';
import { createDatabase } from '@visitor-counter/database/sql/create-database';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The connection URL of the test run's PostgreSQL server. */
    databaseServer: string;
  }
}

/** The migrated database that every test database is a clone of. */
export const templateDatabase = 'template_migrated';

/** One real PostgreSQL server for a test run, thrown away at its end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-test-'));
  const server = await startEmbeddedServer({ folder, settings: { max_connections: '300' } });
  const serverUrl = server.url('postgres');
  await createDatabase(serverUrl, templateDatabase);
  await migrate(server.url(templateDatabase));
  project.provide('databaseServer', serverUrl);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  };
}
