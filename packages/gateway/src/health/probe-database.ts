import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@visitor-counter/database/connect';

/** How long the database may take to answer (ms). */
const deadline = 2_000;

const silent = 'the database does not answer';

/** Undefined when the database answers, else what to tell the operator. */
export async function probeDatabase({ pool }: Database): Promise<string | undefined> {
  const answers = pool.query('select 1').then(
    () => undefined,
    () => silent,
  );
  return Promise.race([answers, delay(deadline, silent, { ref: false })]);
}
