import { setTimeout as delay } from 'node:timers/promises';
import { moveSome } from '@visitor-counter/database/projection/projector';
import type { Refolded } from '@visitor-counter/database/projection/refold';
import { runRound } from '@visitor-counter/database/projection/run-round';
import { lockKeys } from '@visitor-counter/database/sql/advisory-locks';
import { preparedOn } from '@visitor-counter/database/sql/query-builder';
import { withPatientClient } from './with-patient-client.ts';

/**
 * Resolves when the projection contains everything that is stored: derives it, unless a running projector does. Returns what
 * was derived.
 */
export function projected(url: string): Promise<Refolded> {
  return withPatientClient(url, async (client) => {
    const ask = async (statement: string) => (await client.query<{ yes: boolean }>(statement)).rows[0]?.yes;
    const db = preparedOn(client);
    const derived = { quarters: 0, whole: 0 };
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
  });
}
