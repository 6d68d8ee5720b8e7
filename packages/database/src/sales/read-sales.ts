import { type Hundredths, parseMoney } from '@visitor-counter/domain/money';
import { type Kysely, sql } from 'kysely';
import type { StoreRange } from '../crossings/crossings.ts';
import { numberArray } from '../sql/arrays.ts';
import { epochMs, timestamp } from '../sql/instant.ts';
import type { Sale } from './store-sales.ts';

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
  db: Kysely<unknown>,
  storeIds: readonly number[],
  starts: readonly number[],
  to: number,
): Promise<BucketSales[]> {
  const [from] = starts;
  if (from === undefined || storeIds.length === 0) return [];
  const { rows } = await sql<Omit<BucketSales, 'amount'> & { amount: string }>`
    select store_id as "storeId", width_bucket(at, ${starts.map(timestamp)}::timestamptz[]) - 1 as bucket,
      sum(transactions)::float8 as transactions, sum(amount)::text as amount
    from sale
    where store_id = any(${numberArray(storeIds)}::integer[])
      and at >= ${timestamp(from)}::timestamptz and at < ${timestamp(to)}::timestamptz
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
  db: Kysely<unknown>,
  ranges: readonly StoreRange[],
  after: SalePosition | undefined,
  limit: number,
): Promise<Sale[]> {
  const beyond = after
    ? sql`and (at, store_id, id) > (${timestamp(after.at)}::timestamptz, ${after.storeId}::integer, ${after.id})`
    : sql``;
  const { rows } = await sql<Omit<Sale, 'amount'> & { amount: string }>`
    select range.store_id as "storeId", id, ${epochMs('at')} as at, transactions, amount::text as amount
    from unnest(
      ${numberArray(ranges.map(({ storeId }) => storeId))}::integer[],
      ${ranges.map(({ from }) => timestamp(from))}::timestamptz[], ${ranges.map(({ to }) => timestamp(to))}::timestamptz[]
    ) as range (store_id, start, stop)
    cross join lateral (
      select id, at, transactions, amount from sale
      where store_id = range.store_id and at >= start and at < stop ${beyond}
      order by at, id limit ${limit}
    ) sold
    order by at, range.store_id, id limit ${limit}`.execute(db);
  return rows.map(({ amount, ...same }) => ({ ...same, amount: hundredths(amount) }));
}
