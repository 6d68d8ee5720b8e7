import { nameKey } from '@visitor-counter/domain/name-key';
import type { Kysely } from 'kysely';
import type { Schema } from '../tables/schema.ts';

export async function insertCompany(db: Kysely<Schema>, name: string): Promise<void> {
  await db
    .insertInto('company')
    .values({ name, name_key: nameKey(name) })
    .execute();
}

/** Changes how a company's name is spelled; its key stays. */
export async function respellCompany(db: Kysely<Schema>, name: string): Promise<void> {
  await db.updateTable('company').set({ name }).where('name_key', '=', nameKey(name)).execute();
}
