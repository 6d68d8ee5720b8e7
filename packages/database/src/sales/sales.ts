import { type Hundredths, moneyText, parseMoney } from '@visitor-counter/domain/money';
import { sql } from 'kysely';
import { type Author, recordAudit } from '../audit/audit-log.ts';
import type { StoreRange } from '../crossings/crossings.ts';
import { anyOf, type Db, instant, instants, integers, timestamp } from '../sql/query-builder.ts';

/** An entry of a till. */
export interface Sale {
  readonly storeId: number;
  /** Unique in the store. */
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
  readonly transactions: number;
  readonly amount: Hundredths;
}

/** Sales of one request, all with different keys, and who sends them. */
interface SalesToStore {
  readonly sales: readonly Sale[];
  readonly company: string;
  readonly author: Author;
  readonly credentialId: number;
}

/** How many entries were new, replaced another content, and were stored before as they are. */
interface StoredSales {
  readonly stored: number;
  readonly replaced: number;
  readonly unchanged: number;
}

/** Stores sales, all or none. An entry with the key of a stored one replaces it. */
export async function storeSales(
  db: Db,
  { sales, company, author, credentialId }: SalesToStore,
): Promise<StoredSales> {
  return await db.transaction().execute(async (trx) => {
    const { stored, replaced } = await upsert(trx, sales, credentialId);
    if (stored + replaced > 0)
      await recordAudit(trx, author, {
        action: 'sales stored',
        company,
        subject: { kind: 'company', key: company },
        details: { stored, replaced, stores: new Set(sales.map(({ storeId }) => storeId)).size },
      });
    return { stored, replaced, unchanged: sales.length - stored - replaced };
  });
}

/* In the order of the key, so that concurrent requests with the same keys wait for each other instead of deadlocking. */
async function upsert(trx: Db, sales: readonly Sale[], credentialId: number) {
  const given = sales.map((one) => ({ ...one, at: timestamp(one.at), amount: moneyText(one.amount) }));
  const { rows } = await sql<{ stored: number; replaced: number }>`
    with written as (
      insert into sale as known (store_id, id, at, transactions, amount, credential_id)
      select given.*, ${credentialId}
      from json_to_recordset(${JSON.stringify(given)}) as given (
        "storeId" integer, id text, at timestamptz, transactions integer, amount numeric
      )
      order by "storeId", id collate "C"
      on conflict (store_id, id) do update set at = excluded.at, transactions = excluded.transactions,
        amount = excluded.amount, credential_id = excluded.credential_id
      where (known.at, known.transactions, known.amount)
        is distinct from (excluded.at, excluded.transactions, excluded.amount)
      returning xmax = 0 as is_new
    )
    select count(*) filter (where is_new) as stored, count(*) filter (where not is_new) as replaced
    from written`.execute(trx);
  return rows[0] ?? { stored: 0, replaced: 0 };
}

/** What a store sold in one bucket; buckets without an entry are left out. */
interface BucketSales {
  readonly storeId: number;
  /** The index of the bucket. */
  readonly bucket: number;
  readonly transactions: number;
  readonly amount: Hundredths;
}

/**
 * What stores sold in buckets that follow one another: they begin at `starts` (epoch ms, ascending), and the last one ends
 * at `to`. With one statement; stores whose buckets begin at other instants need another one.
 */
export async function salesInBuckets(
  db: Db,
  storeIds: readonly number[],
  starts: readonly number[],
  to: number,
): Promise<BucketSales[]> {
  const [from] = starts;
  if (from === undefined || storeIds.length === 0) return [];
  const { rows } = await sql<Omit<BucketSales, 'amount'> & { amount: string }>`
    select store_id, width_bucket(at, ${instants(starts)}) - 1 as bucket,
      sum(transactions) as transactions, sum(amount) as amount
    from sale
    where store_id = ${anyOf(storeIds)}
      and at >= ${instant(from)} and at < ${instant(to)}
    group by 1, 2 order by 1, 2`.execute(db);
  return rows.map(({ amount, ...same }) => ({ ...same, amount: hundredths(amount) }));
}

/** Sums may have more digits than an entry. */
function hundredths(text: string): Hundredths {
  return parseMoney(text) ?? BigInt(text.replace('.', ''));
}

/** Where a page of sales ends. */
export interface SalePosition {
  /** Epoch ms. */
  readonly at: number;
  readonly storeId: number;
  readonly id: string;
}

/** The sales of ranges, at most `limit`, in the order of their instants, after a position. */
export async function listSales(
  db: Db,
  ranges: readonly StoreRange[],
  after: SalePosition | undefined,
  limit: number,
): Promise<Sale[]> {
  const beyond = after
    ? sql`and (at, store_id, id) > (${instant(after.at)}, ${after.storeId}, ${after.id})`
    : sql``;
  const { rows } = await sql<Omit<Sale, 'amount'> & { amount: string }>`
    select range.store_id, id, at, transactions, amount
    from unnest(
      ${integers(ranges.map(({ storeId }) => storeId))},
      ${instants(ranges.map(({ from }) => from))}, ${instants(ranges.map(({ to }) => to))}
    ) as range (store_id, start, stop)
    cross join lateral (
      select id, at, transactions, amount from sale
      where store_id = range.store_id and at >= start and at < stop ${beyond}
      order by at, id limit ${limit}
    ) sold
    order by at, range.store_id, id limit ${limit}`.execute(db);
  return rows.map(({ amount, ...same }) => ({ ...same, amount: hundredths(amount) }));
}
