import { setTimeout as delay } from 'node:timers/promises';
import { runRound } from '@visitor-counter/database/projection/run-round';
import { lockKeys } from '@visitor-counter/database/sql/advisory-locks';
import { connect } from '@visitor-counter/database/sql/connect';

/**
 * Resolves when the projection contains everything that is stored: applies it, unless a running projector
 * does. `now` is the time of the projector's clock (epoch ms).
 */
export async function projected(url: string, now = Date.now()): Promise<void> {
  const { pool, close } = connect(url, { applicationName: 'test projector', maxConnections: 1 });
  const client = await pool.connect();
  const ask = async (statement: string) => (await client.query<{ yes: boolean }>(statement)).rows[0]?.yes;
  try {
    while (await ask('select exists (select from change) as yes')) {
      if (await ask(`select pg_try_advisory_lock(${lockKeys.projector}) as yes`)) {
        while ((await runRound(client, now)).more);
      } else await delay(10);
    }
  } finally {
    client.release(true);
    await close();
  }
}
