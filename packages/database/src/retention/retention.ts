import { type Kysely, type RawBuilder, sql } from 'kysely';
import { epochMs, timestamp } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';

/** How long the crossings of a company are kept. */
export interface CompanyRetention {
  readonly company: string;
  /** Null: for ever. */
  readonly months: number | null;
  /** Crossings before this instant cannot be read; null if all can. */
  readonly before: number | null;
}

const begin = sql`nullif(kept_from(company), '-infinity')`;

/** The retention of all companies, by name. */
export async function listRetention(db: Kysely<DB>): Promise<CompanyRetention[]> {
  const { rows } = await sql<CompanyRetention>`
    select name as company, retention_months as months, ${begin} as before
    from company order by name_key collate "C"`.execute(db);
  return rows;
}

/** The first instant (epoch ms) from which the crossings of a company are kept; undefined if all are. */
export async function removedBefore(db: Kysely<DB>, companyId: number): Promise<number | undefined> {
  const { rows } = await sql<{ before: number | null }>`
    select ${epochMs('kept_from')} as before
    from company cross join lateral (select ${begin} as kept_from) kept
    where id = ${companyId}::integer`.execute(db);
  return rows[0]?.before ?? undefined;
}

/** The same of the company of a store; -Infinity if all are kept. */
export async function keptFrom(db: Kysely<DB>, storeId: number): Promise<number> {
  const { rows } = await sql<{ company: number }>`
    select company_id as company from store where id = ${storeId}::integer`.execute(db);
  return (await removedBefore(db, rows[0]?.company ?? 0)) ?? Number.NEGATIVE_INFINITY;
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
      ? sql`select company_id from store where id = ${of.storeId}::integer`
      : sql`select company_id from device where id = ${of.deviceId}::integer`;
  const { rows } = await sql<{ before: number }>`
    select ${epochMs('kept_from(company)')} as before from company
    where id = (${owner}) and ${timestamp(instant)}::timestamptz < kept_from(company)`.execute(db);
  const [refused] = rows;
  if (refused !== undefined) throw new CrossingsRemoved(refused.before);
}
