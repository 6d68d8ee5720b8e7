import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '@visitor-counter/database/sql/create-database';

/**
 * Resolves when the transactions have ended that were writing to other databases of the server at the time of
 * the call. The server numbers the transactions of all databases together, so transactions of concurrent
 * tests delay the point up to which a reader of new crossings may read.
 */
export async function otherDatabasesCommitted(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ next: string }>(
      'select pg_snapshot_xmax(pg_current_snapshot())::text as next',
    );
    const isOneOpen = async () => (await client.query(openElsewhere, [rows[0]?.next])).rowCount !== 0;
    while (await isOneOpen()) await delay(5);
  });
}

const openElsewhere = `
  select from pg_snapshot_xip(pg_current_snapshot()) as open (xid)
  where open.xid < $1::xid8
    and not exists (
      select from pg_stat_activity
      where datname = current_database() and backend_xid::text = (open.xid::text::numeric % 4294967296)::text
    )`;
