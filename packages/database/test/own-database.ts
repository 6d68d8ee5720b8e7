import { createDatabase, withClient } from '@visitor-counter/database/sql/open-client';
import { inject, onTestFinished } from 'vitest';

/** A new database without tables, which is dropped at the end of the test. Its address. */
export async function ownDatabase(name: string): Promise<string> {
  const server = inject('databaseServer');
  await createDatabase(server, name);
  onTestFinished(async () => {
    await withClient(server, (client) => client.query(`drop database if exists ${name} with (force)`));
  });
  return server.replace(/[^/]*$/, name);
}
