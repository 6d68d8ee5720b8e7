import { businessDayOf } from '@visitor-counter/domain/business-day';
import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, sql } from 'kysely';
import { giveUpMessages } from '../alerts/deliveries.ts';
import { writeStoreSettings } from '../settings/store-settings.ts';
import type { DB } from '../sql/schema.ts';
import { companyId, storeIdsOf } from '../stores/stores.ts';
import type { StoredAlertTarget, StoredCompany, StoredShopGroup, StoredStore } from './topology.ts';

/* Each function inserts what the database lacks, and otherwise updates it. */

/** A company is found by the key of its name; its spelling may change. */
export async function writeCompany(
  db: Kysely<DB>,
  { name, retentionMonths }: Pick<StoredCompany, 'name' | 'retentionMonths'>,
): Promise<void> {
  const values = { name, retentionMonths };
  await db
    .insertInto('company')
    .values({ nameKey: nameKey(name), ...values })
    .onConflict((known) => known.column('nameKey').doUpdateSet(values))
    .execute();
}

/** Opening hours and staff that are undefined stay as they are. `now` (epoch ms) is when staff that is not declared any more ends. */
export async function writeStore(
  db: Kysely<DB>,
  companyKey: string,
  { sid, openingHours, staff, ...values }: StoreToWrite,
  now: number,
): Promise<void> {
  const { id } = await db
    .insertInto('store')
    .values({ companyId: companyId(companyKey), sid, ...values })
    .onConflict((known) => known.columns(['companyId', 'sid']).doUpdateSet(values))
    .returning('id')
    .executeTakeFirstOrThrow();
  await writeStoreSettings(db, id, { openingHours, staff }, businessDayOf(now, values).date);
}

interface StoreToWrite extends Omit<StoredStore, 'openingHours' | 'staff'> {
  readonly openingHours: StoredStore['openingHours'] | undefined;
  readonly staff: StoredStore['staff'] | undefined;
}

/** A shop group is found by the key of its name. */
export async function writeShopGroup(
  db: Kysely<DB>,
  companyKey: string,
  { name, stores }: StoredShopGroup,
): Promise<void> {
  const { id } = await db
    .insertInto('shopGroup')
    .values({ companyId: companyId(companyKey), name, nameKey: nameKey(name) })
    .onConflict((known) => known.columns(['companyId', 'nameKey']).doUpdateSet({ name }))
    .returning('id')
    .executeTakeFirstOrThrow();
  await db.deleteFrom('shopGroupStore').where('shopGroupId', '=', id).execute();
  await db
    .insertInto('shopGroupStore')
    .columns(['shopGroupId', 'storeId'])
    .expression(sql`select ${id}::integer, unnest(${storeIdsOf(companyKey, stores)})`)
    .execute();
}

/** Pending messages to a target that is switched off are given up. */
export async function writeAlertTarget(
  db: Kysely<DB>,
  companyKey: string,
  { label, ...values }: StoredAlertTarget,
): Promise<void> {
  await db
    .insertInto('alertTarget')
    .values({ companyId: companyId(companyKey), label, ...values })
    .onConflict((known) => known.columns(['companyId', 'label']).doUpdateSet(values))
    .execute();
  await giveUpMessages(db, companyId(companyKey));
}
