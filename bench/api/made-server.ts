import { resolve } from 'node:path';
import { startEmbeddedServer } from '@visitor-counter/database/embedded/server';
import { migrate } from '@visitor-counter/database/migrations/migrate';
import { createDatabase, databaseExists, withClient } from '@visitor-counter/database/sql/open-client';
import { showProgress } from '../shared/report.ts';
import { fill } from './fill.ts';
import type { Workload } from './workload.ts';

/** A PostgreSQL whose databases are reused by the next run. */
export interface MadeServer extends AsyncDisposable {
  /** The URL of a workload's database, which is created if it does not exist. */
  database(workload: Workload): Promise<string>;
}

/** The folder of the server, ignored by git, next to the data of `npx pnpm start`. */
const folder = resolve(import.meta.dirname, '../../.data/bench-api');

/** Settings for machines with little memory, with a large enough write-ahead log to avoid checkpoints. */
const settings = { shared_buffers: '1GB', maintenance_work_mem: '512MB', max_wal_size: '8GB' };

/** The name of an incomplete database. */
const unfinished = 'in_the_making';

export async function startMadeServer(): Promise<MadeServer> {
  const server = await startEmbeddedServer({ folder, settings });
  const admin = server.url('postgres');
  return {
    database: async (workload) => {
      const url = server.url(workload.database);
      if (!(await databaseExists(admin, workload.database))) {
        showProgress(`creating ${workload.stores * workload.crossingsPerStore} crossings, once`);
        await withClient(admin, (client) =>
          client.query(`drop database if exists ${unfinished} with (force)`),
        );
        await createDatabase(admin, unfinished);
        await migrate(server.url(unfinished));
        await withClient(server.url(unfinished), (client) => fill(client, workload));
        await withClient(admin, async (client) => {
          await client.query(`alter database ${unfinished} rename to ${workload.database}`);
        });
      }
      await migrate(url);
      return url;
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
