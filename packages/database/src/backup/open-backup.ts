import { codeOf } from '@visitor-counter/service/errors';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { appliedMigrations } from '../migrations/schema-state.ts';
import { withClient } from '../sql/create-database.ts';
import { closeClient, openClient } from '../sql/open-client.ts';
import {
  type NumberPosition,
  portableText,
  readPositions,
  readTables,
  type TableContent,
} from './schema-content.ts';

/** All rows as they were at one moment, while the database serves. */
export interface BackupSource extends AsyncDisposable {
  /** The version of the server. */
  readonly server: string;
  /** The id of the installation. */
  readonly installation: string;
  /** The names of the migrations that were applied. */
  readonly migrations: readonly string[];
  readonly tables: readonly TableContent[];
  /** The rows of a table in the text format of COPY, one line each. */
  copy(table: TableContent): AsyncIterable<Buffer>;
  positions(): Promise<NumberPosition[]>;
}

/** The database has no schema of this product. */
export class NothingToBackUpError extends Error {
  override readonly name = 'NothingToBackUpError';
}

/**
 * Opens a snapshot of all tables on one connection. It neither waits for writers nor makes them wait. Throws a
 * NothingToBackUpError if there are no tables of this product, and an error if the database is being restored.
 */
export async function openBackup(url: string): Promise<BackupSource> {
  const config = { connectionString: url, application_name: 'visitor-counter backup' };
  const client = await openClient(config, portableText);
  try {
    return await beginBackup(client);
  } catch (error) {
    closeClient(client);
    throw error;
  }
}

async function beginBackup(client: pg.Client): Promise<BackupSource> {
  if ((await appliedMigrations(client)) === undefined) throw new NothingToBackUpError();
  const names = (await readTables(client)).map(({ name }) => pg.escapeIdentifier(name));
  await client.query('begin isolation level repeatable read, read only');
  /* Locked before the snapshot begins, so that no migration changes a table in between. */
  await client.query(`lock table ${names.join(', ')} in access share mode`);
  const [tables, migrations = []] = [await readTables(client), await appliedMigrations(client)];
  const { rows } = await client.query<{ server: string; installation: string }>(factsStatement);
  const [facts = { server: '', installation: '' }] = rows;
  return {
    ...facts,
    migrations,
    tables,
    copy: (table) => client.query(copyTo(copyStatement(table))),
    positions: () => readPositions(client),
    [Symbol.asyncDispose]: async () => void (await client.end().catch(() => {})),
  };
}

function copyStatement({ name, columns }: TableContent): string {
  return `copy ${pg.escapeIdentifier(name)} (${columns.map(pg.escapeIdentifier).join(', ')}) to stdout`;
}

const factsStatement = `
  select current_setting('server_version') as server, id::text as installation, require_restored() from installation`;

/**
 * Records for monitoring that a backup is complete and verified, and when it was taken (epoch ms). A role that only reads
 * cannot: its backups are as good, and are not recorded.
 */
export async function recordBackup(url: string, takenAt: number): Promise<void> {
  await withClient(url, async (client) => {
    try {
      await client.query('insert into backup (taken_at) values (to_timestamp($1::float8 / 1000))', [takenAt]);
    } catch (error) {
      const isForbidden = /^(42501|25006)$/.test(String(codeOf(error)));
      if (!isForbidden) throw error;
    }
  });
}
