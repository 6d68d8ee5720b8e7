import { type RawBuilder, sql } from 'kysely';
import { type Db, runStatement } from '../sql/query-builder.ts';

/** Crossings before this instant cannot be read; null if all can. */
const before = sql<number | null>`nullif(kept_from(company), '-infinity')`;

/** A company, by its id or by that of something that belongs to it. */
type Owner = { readonly companyId: number } | { readonly storeId: number } | { readonly deviceId: number };

/** The first instant (epoch ms) from which the crossings of a company are kept; -Infinity if all are. */
export async function keptFrom(db: Db, of: Owner): Promise<number> {
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
export async function requireCrossings(db: Db, of: Owner, instant: number): Promise<void> {
  const before = await keptFrom(db, of);
  if (instant < before) throw new CrossingsRemoved(before);
}

/** Crossings in a batch: few, so that no batch delays a writer noticeably. */
const batchSize = 500;

/** Deletes a batch of the crossings that are a day older than companies keep. Returns how many: 0 if there are no more. */
export function removeOld(db: Db): Promise<number> {
  return db.transaction().execute(async (trx) => {
    /* A batch whose commit is lost in a crash is deleted again: nothing waits for the disk. */
    await sql`set local synchronous_commit = off`.execute(trx);
    const [row] = await runStatement<{ removed: number }>(trx, statement, [batchSize]);
    return row?.removed ?? 0;
  });
}

/**
 * Of stores, and of voids: voided crossings have the negative id of their void as store. Quarter hours are final from the
 * first deletion on.
 */
const statement = `
  with owned as materialized (
    select owned.id, company.id as company_id, horizon(retention_months) - interval '1 day' as until
    from company cross join lateral (
      select id from store where company_id = company.id
      union all
      select -void.id from crossing_void void join device on device.id = void.device_id
      where device.company_id = company.id
    ) owned
    where retention_months is not null
  ), old as materialized (
    select found.*, company_id, until from owned cross join lateral (
      select journal_id, sequence from crossing where store_id = owned.id and at < until order by at limit $1
    ) found
    limit $1
  ), removed as (
    delete from crossing using old
    where crossing.journal_id = old.journal_id and crossing.sequence = old.sequence
    returning 1
  ), final as (
    update company set deleted_before = old.until from (select distinct company_id, until from old) old
    where company.id = old.company_id and deleted_before < old.until
  )
  select count(*) as removed from removed`;
