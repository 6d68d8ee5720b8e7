import { type Kysely, sql } from 'kysely';
import { epochMs } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';
import type { ArrivalCursor } from './arrival-cursor.ts';

/** What a reader in commit order must know of the present. */
interface PresentEpoch {
  /** Differs after a restore and after a failover; transaction numbers are valid within one. */
  readonly epoch: string;
  /** Transactions from this number on must not be read yet. */
  readonly end: bigint;
}

export async function presentEpoch(db: Kysely<DB>): Promise<PresentEpoch> {
  const { rows } = await sql<{ epoch: string; end: string }>`
    select current_epoch() as epoch,
      transactions_before + pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "end"
    from installation`.execute(db);
  return { epoch: rows[0]?.epoch ?? '', end: BigInt(rows[0]?.end ?? 0) };
}

/** A failover loses the commits of some seconds, and readers know the crossings that they have by their keys. */
const overlap = 24 * 60 * 60_000;

/**
 * From which instant on (epoch ms) a reader must read again whose cursor is of another epoch: a day before the latest of the
 * crossings that both epochs have up to the cursor. Undefined if there are none: it must read from the first crossing on.
 */
export async function commonUntil(
  db: Kysely<DB>,
  storeIds: readonly number[],
  { transaction, epoch = '' }: ArrivalCursor,
): Promise<number | undefined> {
  const { rows } = await sql<{ at: number | null }>`
    select ${epochMs('max(latest.at)')} as at
    from installation
    cross join unnest(${storeIds}::integer[]) as store
    cross join lateral (
      select at from crossing
      where store_id = store and transaction <= ${transaction}::bigint
        and (transaction <= restored_through or left(current_epoch(), 16) = left(${epoch}, 16))
      order by at desc limit 1
    ) latest`.execute(db);
  const at = rows[0]?.at ?? undefined;
  return at === undefined ? undefined : Math.max(0, at - overlap);
}
