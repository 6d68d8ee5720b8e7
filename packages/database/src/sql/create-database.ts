import pg from 'pg';
import { openClient, withoutCompiling } from './open-client.ts';

/** Creates a database on a server unless it exists; `options` is the rest of the statement. */
export async function createDatabase(serverUrl: string, name: string, options = ''): Promise<void> {
  if (await databaseExists(serverUrl, name)) return;
  await withClient(serverUrl, async (client) => {
    await client.query(`create database ${pg.escapeIdentifier(name)} ${options}`);
  });
}

/** Drops a database, cutting its connections. */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    await client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
  });
}

export async function databaseExists(serverUrl: string, name: string): Promise<boolean> {
  return await withClient(serverUrl, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    return rowCount === 1;
  });
}

/** Calls `work` with a new connection, and then closes it. */
export async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = await openClient({ connectionString: url }, withoutCompiling);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
