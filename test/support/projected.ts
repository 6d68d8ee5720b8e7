import { setTimeout as delay } from 'node:timers/promises';
import { moveSome } from '@visitor-counter/database/projection/projector';
import type { Refolded } from '@visitor-counter/database/projection/refold';
import { runRound } from '@visitor-counter/database/projection/run-round';
import { lockKeys } from '@visitor-counter/database/sql/advisory-locks';
import { openClient, planByKeys } from '@visitor-counter/database/sql/open-client';
import { preparedOn } from '@visitor-counter/database/sql/query-builder';

/**
 * Resolves when the projection contains everything that is stored: derives it, unless a running projector does. Returns what
 * was derived.
 */
export async function projected(url: string): Promise<Refolded> {
  const client = await openClient({ connectionString: url }, planByKeys);
  const ask = async (statement: string) => (await client.query<{ yes: boolean }>(statement)).rows[0]?.yes;
  const db = preparedOn(client);
  const derived = { quarters: 0, whole: 0 };
  try {
    while (await ask('select exists (select from mark union all select from device_move) as yes')) {
      if (await ask(`select pg_try_advisory_lock(${lockKeys.projector}) as yes`)) {
        await moveSome(db, (error) => {
          throw error;
        });
        for (let more = true; more; ) {
          const round = await runRound(db);
          derived.quarters += round.quarters;
          derived.whole += round.whole;
          more = round.more;
        }
      } else await delay(10);
    }
    return derived;
  } finally {
    await client.end();
  }
}
