import { sql } from 'kysely';
import { type Db, integers } from '../sql/query-builder.ts';

/** A position in the order in which crossings become readable; everything up to it was read. */
export interface ArrivalPlace {
  readonly transaction: number;
  readonly journalId: number;
  readonly sequence: number;
}

/** Where a reader continues. */
export interface ArrivalCursor extends ArrivalPlace {
  /** The epoch of the database that the position belongs to; undefined until a reader has read from it. */
  readonly epoch: string | undefined;
}

/** Before all crossings; the numbers of transactions begin above 0. */
export const firstArrival: ArrivalCursor = {
  transaction: 0,
  journalId: 0,
  sequence: 0,
  epoch: undefined,
};

/** After all crossings of a transaction. */
export const afterAll = { journalId: 2 ** 31 - 1, sequence: Number.MAX_SAFE_INTEGER };

/** A cursor as text that needs no escaping in a URL. */
export function encodeArrivalCursor({ epoch, transaction, journalId, sequence }: ArrivalCursor): string {
  return [epoch, transaction, journalId, sequence].join('.');
}

const written = /^([0-9a-f]{24})\.(\d{1,16})\.(\d{1,10})\.(\d{1,16})$/;

/** Reads what `encodeArrivalCursor` wrote; undefined for everything else. */
export function decodeArrivalCursor(text: string): ArrivalCursor | undefined {
  const [, epoch, ...numbers] = written.exec(text) ?? [];
  const [transaction = 0, journalId = 0, sequence = 0] = numbers.map(Number);
  const fits = Number.isSafeInteger(transaction) && journalId < 2 ** 31 && Number.isSafeInteger(sequence);
  return epoch === undefined || !fits ? undefined : { epoch, transaction, journalId, sequence };
}

/** What a reader in commit order must know of the present. */
interface PresentEpoch {
  /** Differs after a restore and after a failover; transaction numbers are valid within one. */
  readonly epoch: string;
  /** Transactions from this number on must not be read yet. */
  readonly end: number;
}

export async function presentEpoch(db: Db): Promise<PresentEpoch> {
  const { rows } = await sql<PresentEpoch>`
    select current_epoch() as epoch,
      transactions_before + pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "end"
    from installation`.execute(db);
  return rows[0] ?? { epoch: '', end: 0 };
}

/** A failover loses the commits of some seconds, and readers know the crossings that they have by their keys. */
const overlap = 24 * 60 * 60_000;

/**
 * From which instant on (epoch ms) a reader must read again whose cursor is of another epoch: a day before the latest of the
 * crossings that both epochs have up to the cursor. Undefined if there are none: it must read from the first crossing on.
 */
export async function commonUntil(
  db: Db,
  storeIds: readonly number[],
  { transaction, epoch = '' }: ArrivalCursor,
): Promise<number | undefined> {
  const { rows } = await sql<{ at: number | null }>`
    select max(latest.at) as at
    from installation
    cross join unnest(${integers(storeIds)}) as store
    cross join lateral (
      select at from crossing
      where store_id = store and transaction <= ${transaction}
        and (transaction <= restored_through or left(current_epoch(), 16) = left(${epoch}, 16))
      order by at desc limit 1
    ) latest`.execute(db);
  const at = rows[0]?.at ?? undefined;
  return at === undefined ? undefined : Math.max(0, at - overlap);
}
