import { setTimeout as delay } from 'node:timers/promises';
import { runRound } from '@visitor-counter/database/projection/run-round';
import { lockKeys } from '@visitor-counter/database/sql/advisory-locks';
import { openClient, planByKeys } from '@visitor-counter/database/sql/open-client';

/**
 * Resolves when the projection contains everything that is stored: applies it, unless a running projector
 * does. `now` is the time of the projector's clock (epoch ms).
 */
export async function projected(url: string, now = Date.now()): Promise<void> {
  const client = await openClient({ connectionString: url, pipeline: true }, planByKeys);
  const ask = async (statement: string) => (await client.query<{ yes: boolean }>(statement)).rows[0]?.yes;
  try {
    while (await ask('select exists (select from change) as yes')) {
      if (await ask(`select pg_try_advisory_lock(${lockKeys.projector}) as yes`)) {
        while ((await runRound(client, now)).more);
      } else await delay(10);
    }
  } finally {
    await client.end();
  }
}
