import { type Kysely, sql } from 'kysely';
import type { DB } from '../sql/schema.ts';

/** Records whether the process that sends mails has a mail server. */
export async function recordMailServer(db: Kysely<DB>, isSet: boolean): Promise<void> {
  await sql`
    insert into mail_server as known (is_set) values (${isSet})
    on conflict (singleton) do update set is_set = excluded.is_set where known.is_set <> excluded.is_set`.execute(
    db,
  );
}

/** What was recorded last; null if no process has sent mails yet. */
export async function hasMailServer(db: Kysely<DB>): Promise<boolean | null> {
  const { rows } = await sql<{ isSet: boolean }>`select is_set from mail_server`.execute(db);
  return rows[0]?.isSet ?? null;
}
