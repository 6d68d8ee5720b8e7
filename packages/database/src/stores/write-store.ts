import type { Kysely } from 'kysely';
import type { Schema } from '../tables/schema.ts';
import { companyId } from './references.ts';

/** What an operator says of a store; what is left out stays, or is empty for a new one. */
export interface StoreFields {
  readonly name?: string;
  readonly address?: string;
  readonly city?: string;
  readonly timeZone?: string;
  readonly dayStartsAt?: string;
  /** People that may be inside at a time; null for no limit. */
  readonly capacity?: number | null;
}

export interface NewStore extends StoreFields {
  readonly sid: string;
  readonly name: string;
  readonly timeZone: string;
}

export async function insertStore(db: Kysely<Schema>, companyKey: string, store: NewStore): Promise<void> {
  const { sid, timeZone, dayStartsAt, ...same } = store;
  await db
    .insertInto('store')
    .values({
      ...same,
      company_id: companyId(companyKey),
      sid,
      time_zone: timeZone,
      ...(dayStartsAt === undefined ? {} : { day_starts_at: dayStartsAt }),
    })
    .execute();
}

/** Changes the given fields, at least one. */
export async function updateStore(
  db: Kysely<Schema>,
  companyKey: string,
  sid: string,
  { timeZone, dayStartsAt, ...same }: StoreFields,
): Promise<void> {
  await db
    .updateTable('store')
    .set({
      ...same,
      ...(timeZone === undefined ? {} : { time_zone: timeZone }),
      ...(dayStartsAt === undefined ? {} : { day_starts_at: dayStartsAt }),
    })
    .where('company_id', '=', companyId(companyKey))
    .where('sid', '=', sid)
    .execute();
}
