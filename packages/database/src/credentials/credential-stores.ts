import { type Kysely, type RawBuilder, sql } from 'kysely';
import { companyId } from '../stores/references.ts';
import type { CredentialKind, Schema } from '../tables/schema.ts';

/** The sids that the credential of a row of `credential` is limited to, sorted; null without a limit. */
export function sidsOfCredential(): RawBuilder<string[] | null> {
  return sql<string[] | null>`case when credential.limited then array(
    select store.sid from credential_store
    join store on store.id = credential_store.store_id
    where credential_store.credential_id = credential.id order by store.sid collate "C"
  ) end`;
}

/** Limits a credential to these stores of its company, and no others; with null it opens all of them. */
export async function setCredentialStores(
  db: Kysely<Schema>,
  companyKey: string,
  { kind, label }: { readonly kind: CredentialKind; readonly label: string },
  sids: readonly string[] | null,
): Promise<void> {
  const { id } = await db
    .updateTable('credential')
    .set({ limited: sids !== null })
    .where('company_id', '=', companyId(companyKey))
    .where('kind', '=', kind)
    .where('label', '=', label)
    .returning('id')
    .executeTakeFirstOrThrow();
  await db.deleteFrom('credential_store').where('credential_id', '=', id).execute();
  await sql`
    insert into credential_store (credential_id, store_id)
    select ${id}, id from store
    where company_id = ${companyId(companyKey)} and sid = any(${sids ?? []}::text[])`.execute(db);
}
