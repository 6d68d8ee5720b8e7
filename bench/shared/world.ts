import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedServer } from '@visitor-counter/database/embedded/server';
import { migrate } from '@visitor-counter/database/migrations/migrate';
import { createDatabase } from '@visitor-counter/database/sql/open-client';
import pg from 'pg';
import { seedCompany } from './company.ts';

/** A separate PostgreSQL, as `npx pnpm start` runs it, with a company and its devices. */
export interface World extends AsyncDisposable {
  readonly databaseUrl: string;
  /** A connection to it. */
  readonly client: pg.Client;
  /** Removes all stored crossings, so that every measurement begins with empty tables and no pending writes. */
  deleteCrossings(): Promise<void>;
}

export async function createWorld(units: number): Promise<World> {
  await using open = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-bench-'));
  open.defer(() => rm(folder, { recursive: true, force: true }));
  const server = await startEmbeddedServer({ folder });
  open.defer(() => server.stop());
  await createDatabase(server.url('postgres'), 'bench');
  const databaseUrl = server.url('bench');
  await migrate(databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {});
  await client.connect();
  open.defer(() => client.end());
  await seedCompany(client, units);
  await client.query('vacuum analyze');
  const whole = open.move();
  return {
    databaseUrl,
    client,
    deleteCrossings: async () => {
      await client.query('truncate mark, crossing, journal, quarter_state, day, quarter cascade');
      await client.query('checkpoint');
    },
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}
