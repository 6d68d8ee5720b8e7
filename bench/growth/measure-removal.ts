import { startRemover } from '@visitor-counter/database/retention/remover';
import { createDatabase, dropDatabase, withClient } from '@visitor-counter/database/sql/create-database';
import { now } from '../api/workload.ts';
import { measureIngest } from './measure-ingest.ts';

/** Ingest with and without removal of old crossings, one after the other (crossings a second). */
export interface RemovalRound {
  readonly quiet: number;
  readonly removing: number;
  /** Crossings that were removed a second meanwhile. */
  readonly removed: number;
}

/** Measures on a copy of a database, of which old crossings are removed. */
export async function measureRemoval(
  databaseUrl: string,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<RemovalRound[]> {
  const url = new URL(databaseUrl);
  const name = url.pathname.slice(1);
  const copy = `${name}_removal`;
  const admin = new URL('/postgres', url).href;
  const copyUrl = new URL(`/${copy}`, url).href;
  await dropDatabase(admin, copy);
  await createDatabase(admin, copy, `template "${name}"`);
  const measured: RemovalRound[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const quiet = await measureIngest(copyUrl, seconds);
      measured.push({ quiet, ...(await whileRemoving(copyUrl, seconds)) });
    }
    return measured;
  } finally {
    await dropDatabase(admin, copy);
  }
}

/** Everything older than a month is removed, while ingest is measured. */
async function whileRemoving(url: string, seconds: number): Promise<Omit<RemovalRound, 'quiet'>> {
  await withClient(url, async (client) => {
    await client.query('update company set retention_months = 1 where id = 1');
  });
  let removed = 0;
  let failure: unknown;
  const remover = startRemover({
    url,
    applicationName: 'bench remover',
    now: () => now,
    onRemoved: (_, count) => {
      removed += count;
    },
    onProblem: (error) => {
      failure = error;
    },
  });
  const begin = performance.now();
  const removing = await measureIngest(url, seconds).finally(() => remover.close());
  if (failure !== undefined) throw failure;
  return { removing, removed: (1_000 * removed) / (performance.now() - begin) };
}
