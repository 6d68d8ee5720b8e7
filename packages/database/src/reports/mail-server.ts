import type { Kysely } from 'kysely';
import type { DB } from '../sql/schema.ts';

/** Records whether the process that sends mails has a mail server. */
export async function recordMailServer(db: Kysely<DB>, isSet: boolean): Promise<void> {
  await db
    .updateTable('installation')
    .set({ hasMailServer: isSet })
    .where('hasMailServer', 'is distinct from', isSet)
    .execute();
}

/** What was recorded last; null if no process has sent mails yet. */
export async function hasMailServer(db: Kysely<DB>): Promise<boolean | null> {
  return (await db.selectFrom('installation').select('hasMailServer').executeTakeFirstOrThrow())
    .hasMailServer;
}
