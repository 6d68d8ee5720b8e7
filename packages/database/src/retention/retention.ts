import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { DB } from '../sql/schema.ts';

/** Crossings before this instant cannot be read; null if all can. */
const before = sql<number | null>`nullif(kept_from(company), '-infinity')`;

/** A company, by its id or by that of something that belongs to it. */
type Owner =
  | { readonly companyId: number }
  | { readonly storeId: number }
  | { readonly deviceId: number | RawBuilder<number> };

/** The first instant (epoch ms) from which the crossings of a company are kept; -Infinity if all are. */
export async function keptFrom(db: Kysely<DB>, of: Owner): Promise<number> {
  const company = await db
    .selectFrom('company')
    .select(before.as('before'))
    .where('id', '=', companyOf(of))
    .executeTakeFirst();
  return company?.before ?? Number.NEGATIVE_INFINITY;
}

function companyOf(of: Owner): RawBuilder<number> {
  if ('companyId' in of) return sql`${of.companyId}`;
  if ('storeId' in of) return sql`(select company_id from store where id = ${of.storeId})`;
  return sql`(select company_id from device where id = ${of.deviceId})`;
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
 * Throws CrossingsRemoved if `instant` (epoch ms) is before the crossings that a company keeps: what is there does not change
 * any more.
 */
export async function requireCrossings(db: Kysely<DB>, of: Owner, instant: number): Promise<void> {
  const before = await keptFrom(db, of);
  if (instant < before) throw new CrossingsRemoved(before);
}
