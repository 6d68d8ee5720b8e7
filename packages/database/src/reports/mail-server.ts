import { type Kysely, sql } from 'kysely';

/** Records whether the process that sends mails has a mail server. */
export async function recordMailServer(db: Kysely<unknown>, isSet: boolean): Promise<void> {
  await sql`
    insert into mail_server as known (is_set) values (${isSet})
    on conflict (singleton) do update set is_set = excluded.is_set where known.is_set <> excluded.is_set`.execute(
    db,
  );
}

/** What was recorded last; null if no process has sent mails yet. */
export async function hasMailServer(db: Kysely<unknown>): Promise<boolean | null> {
  const { rows } = await sql<{ is_set: boolean }>`select is_set from mail_server`.execute(db);
  return rows[0]?.is_set ?? null;
}
