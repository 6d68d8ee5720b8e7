import { setTimeout as delay } from 'node:timers/promises';
import { withPatientClient } from './with-patient-client.ts';

/**
 * Resolves when the transactions have ended that were writing to any database of the server at the time of the call. The
 * server numbers the transactions of all databases together, so transactions of concurrent tests delay the point up to
 * which a reader of new crossings may read.
 *
 * It never resolves for a test that has a transaction open itself. Two such tests would wait for each other.
 */
export async function untilTransactionsEnd(url: string): Promise<void> {
  await withPatientClient(url, async (client) => {
    const { rows } = await client.query<{ next: string }>(
      'select pg_snapshot_xmax(pg_current_snapshot())::text as next',
    );
    const isOneOpen = async () => (await client.query(anyOpenBefore, [rows[0]?.next])).rowCount !== 0;
    while (await isOneOpen()) await delay(5);
  });
}

const anyOpenBefore = `select where pg_snapshot_xmin(pg_current_snapshot()) < $1::xid8`;
