import { runRound } from '@visitor-counter/database/projection/run-round';
import { openPasses } from '@visitor-counter/database/retention/remove-batch';
import { beginPasses, removeDue } from '@visitor-counter/database/retention/remover';
import { lockKeys } from '@visitor-counter/database/sql/advisory-locks';
import { openClient, planByKeys } from '@visitor-counter/database/sql/open-client';
import { untilTransactionsEnd } from './until-transactions-end.ts';

/**
 * Removes all crossings that are due at `now` (epoch ms), as the role projector does, and resolves with how many they
 * were. No projector may run meanwhile.
 */
export async function retained(url: string, now: number): Promise<number> {
  const projector = await openClient({ connectionString: url, pipeline: true }, planByKeys);
  const remover = await openClient({ connectionString: url }, planByKeys);
  try {
    const { rows } = await projector.query<{ mine: boolean }>(
      `select pg_try_advisory_lock(${lockKeys.projector}) as mine`,
    );
    if (rows[0]?.mine !== true) throw new Error('a projector runs');
    await untilTransactionsEnd(url);
    await beginPasses(remover, now);
    const isSealed = async () => (await openPasses(remover)).every(({ until, before }) => until === before);
    do await runRound(projector, now, true);
    while (!(await isSealed()));
    let removed = 0;
    const onRemoved = (_: unknown, count: number) => {
      removed += count;
    };
    await removeDue(remover, { now: () => now, onRemoved }, new AbortController().signal);
    return removed;
  } finally {
    await Promise.all([projector.end(), remover.end()]);
  }
}
