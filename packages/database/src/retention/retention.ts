import { type Kysely, type RawBuilder, sql } from 'kysely';
import { epochMs } from '../sql/instant.ts';

/** How long the crossings of a company are kept, and what was removed. */
export interface CompanyRetention {
  readonly company: string;
  /** Null: for ever. */
  readonly months: number | null;
  /** Crossings before this instant cannot be read; null if there are none such. */
  readonly before: Date | null;
  /** How many were removed in all. */
  readonly removed: number;
  /** Whether all crossings before `before` are removed, except those that arrived late. */
  readonly finished: boolean;
}

/** The retention of all companies, by name. */
export async function listRetention(db: Kysely<unknown>): Promise<CompanyRetention[]> {
  const { rows } = await sql<CompanyRetention>`
    select company.name as company, retention_months as months,
      max(removed_before) as before,
      coalesce(sum(removed), 0)::float8 as removed,
      count(*) filter (where pass.company_id is not null and finished_at is null) = 0 as finished
    from company left join retention_pass pass on pass.company_id = company.id
    group by company.id order by company.name_key collate "C"`.execute(db);
  return rows;
}

/** Crossings before an instant were removed, so what depends on them cannot be read or changed. */
export class CrossingsRemoved extends Error {
  override readonly name = 'CrossingsRemoved';
  readonly code = 'crossings-removed';
  /** The first instant whose crossings are kept (epoch ms). */
  readonly before: number;

  constructor(before: number) {
    super(`crossings before ${new Date(before).toISOString()} were removed, as the company's retention says`);
    this.before = before;
  }
}

/** The first instant (epoch ms) from which the crossings of a company are kept; undefined if none were removed. */
export async function removedBefore(db: Kysely<unknown>, companyId: number): Promise<number | undefined> {
  const { rows } = await sql<{ before: number | null }>`
    select ${epochMs('max(removed_before)')} as before
    from retention_pass where company_id = ${companyId}::integer`.execute(db);
  return rows[0]?.before ?? undefined;
}

/**
 * Locks the beginning of the crossings of a device's or store's company until the end of the transaction, so that the
 * quarter hours that it changes are still derived from crossings. Throws CrossingsRemoved if `instant` (epoch ms) is
 * before it.
 *
 * Every transaction that makes the projector read the crossings of a quarter hour again must call this first; see
 * `beginPasses`, which takes the lock that conflicts with it.
 */
export async function requireCrossings(
  trx: Kysely<unknown>,
  of: { readonly storeId: number } | { readonly deviceId: number | RawBuilder<number> },
  instant: number,
): Promise<void> {
  const owner =
    'storeId' in of
      ? sql`select company_id from store where id = ${of.storeId}::integer`
      : sql`select company_id from device where id = ${of.deviceId}::integer`;
  const { rows } = await sql<{ id: number }>`
    select id from company where id = (${owner}) for share`.execute(trx);
  const [company] = rows;
  const before = company && (await removedBefore(trx, company.id));
  if (before !== undefined && instant < before) throw new CrossingsRemoved(before);
}
