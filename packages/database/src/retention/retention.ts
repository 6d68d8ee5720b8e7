import { type Kysely, type RawBuilder, sql } from 'kysely';
import { timestamp } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';

/** How long the crossings of a company are kept. */
export type CompanyRetention = Awaited<ReturnType<typeof listRetention>>[number];

/** Crossings before this instant cannot be read; null if all can. */
const before = sql<number | null>`nullif(kept_from(company), '-infinity')`;

/** The retention of all companies, by name; `months` is null for ever. */
export async function listRetention(db: Kysely<DB>) {
  return await db
    .selectFrom('company')
    .select(['name as company', 'retentionMonths as months', before.as('before')])
    .orderBy(sql`name_key collate "C"`)
    .execute();
}

/** The first instant (epoch ms) from which the crossings of a company are kept; undefined if all are. */
export async function removedBefore(db: Kysely<DB>, companyId: number): Promise<number | undefined> {
  const company = await db
    .selectFrom('company')
    .select(before.as('before'))
    .where('id', '=', companyId)
    .executeTakeFirst();
  return company?.before ?? undefined;
}

/** The same of the company of a store; -Infinity if all are kept. */
export async function keptFrom(db: Kysely<DB>, storeId: number): Promise<number> {
  const company = await db
    .selectFrom('store')
    .innerJoin('company', 'company.id', 'companyId')
    .select(before.as('before'))
    .where('store.id', '=', storeId)
    .executeTakeFirst();
  return company?.before ?? Number.NEGATIVE_INFINITY;
}

/** What depends on crossings before an instant cannot be read or changed. */
export class CrossingsRemoved extends Error {
  override readonly name = 'CrossingsRemoved';
  readonly code = 'crossings-removed';
  /** The first instant whose crossings are kept (epoch ms). */
  readonly before: number;

  constructor(before: number) {
    super(`crossings before ${new Date(before).toISOString()} are no longer kept`);
    this.before = before;
  }
}

/**
 * Throws CrossingsRemoved if `instant` (epoch ms) is before the crossings that the company of a device or store keeps: what
 * is there does not change any more.
 */
export async function requireCrossings(
  db: Kysely<DB>,
  of: { readonly storeId: number } | { readonly deviceId: number | RawBuilder<number> },
  instant: number,
): Promise<void> {
  const owner =
    'storeId' in of
      ? sql`select company_id from store where id = ${of.storeId}`
      : sql`select company_id from device where id = ${of.deviceId}`;
  const { rows } = await sql<{ before: number }>`
    select kept_from(company) as before from company
    where id = (${owner}) and ${timestamp(instant)}::timestamptz < kept_from(company)`.execute(db);
  const [refused] = rows;
  if (refused !== undefined) throw new CrossingsRemoved(refused.before);
}
