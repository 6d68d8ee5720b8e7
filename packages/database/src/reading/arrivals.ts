import type { Direction } from '@visitor-counter/domain/crossing';
import { sql } from 'kysely';
import type { ArrivalCursor } from './arrival-cursor.ts';
import type { Reader } from './snapshot.ts';

/** A crossing as a reader of arrivals gets it. */
export interface Arrival {
  /** 64-bit numbers arrive as text. */
  readonly transaction: string;
  readonly journal_id: number;
  readonly sequence: string;
  /** Epoch ms. */
  readonly at: number;
  readonly uncertainty_ms: string | null;
  readonly direction: Direction;
  readonly store_id: number;
  readonly serial: string;
  readonly journal: string;
}

/** Crossings behind a cursor, and where to go on. */
export interface Arrivals {
  readonly arrivals: readonly Arrival[];
  readonly next: ArrivalCursor;
  /** There may be more behind `next` now. */
  readonly more: boolean;
}

/** How many transactions are looked through at once: at first, and how much more while nothing is found. */
const firstSpan = 64n;
const growth = 4n;

/**
 * The crossings of stores behind a cursor in the order in which they became readable, at most `limit`; those
 * are fewer only at the end.
 *
 * A transaction is read only when all that began to write before it are over, so that nothing can appear
 * behind a cursor that was given out. One that hangs holds back what began after it, and loses nothing.
 * A crossing that was taken along to another store is read again, under its key.
 *
 * The index is one of ranges of pages, which costs a writer nothing; so the reader looks through
 * transactions piece by piece. Give it a snapshot's `db`.
 */
export async function readArrivals(
  db: Reader,
  storeIds: readonly number[],
  after: ArrivalCursor,
  limit: number,
): Promise<Arrivals> {
  const end = await endOfOrder(db);
  const arrivals: Arrival[] = [];
  let from = after;
  let span = firstSpan;
  while (BigInt(from.transaction) < end) {
    const to = endOfPiece(BigInt(from.transaction), span, end);
    arrivals.push(...(await readPiece(db, storeIds, from, to, limit - arrivals.length)));
    const last = arrivals.at(-1);
    if (last && arrivals.length === limit) return { arrivals, next: placeOf(last), more: true };
    from = { transaction: String(to), journalId: 0, sequence: '0' };
    span = to === 0n ? firstSpan : span * growth;
  }
  return { arrivals, next: from, more: false };
}

/** Numbers below 0 are those of rows, not of transactions: a piece ends where the one begins. */
function endOfPiece(from: bigint, span: bigint, end: bigint): bigint {
  const to = from + span < end ? from + span : end;
  return from < 0n && to > 0n ? 0n : to;
}

/** What is written by this transaction, or by later ones, may still be joined by something before it. */
async function endOfOrder(db: Reader): Promise<bigint> {
  await sql`set local enable_seqscan = off`.execute(db);
  const { rows } = await sql<{ end: string }>`
    select transactions_before + pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "end"
    from installation`.execute(db);
  return BigInt(rows[0]?.end ?? 0);
}

async function readPiece(
  db: Reader,
  storeIds: readonly number[],
  from: ArrivalCursor,
  to: bigint,
  limit: number,
): Promise<Arrival[]> {
  const { rows } = await sql<Arrival>`
    select found.transaction, found.journal_id, found.sequence,
      (extract(epoch from found.at) * 1000)::float8 as at, found.uncertainty_ms, found.direction,
      found.store_id, device.serial, journal.name as journal
    from (
      select * from crossing
      where transaction >= ${from.transaction}::bigint and transaction < ${String(to)}::bigint
        and (transaction, journal_id, sequence)
          > (${from.transaction}::bigint, ${from.journalId}::integer, ${from.sequence}::bigint)
        and store_id = any(${storeIds}::integer[])
      order by transaction, journal_id, sequence limit ${limit}
    ) found
    join device on device.id = found.device_id
    join journal on journal.id = found.journal_id
    order by found.transaction, found.journal_id, found.sequence`.execute(db);
  return rows;
}

function placeOf({ transaction, journal_id, sequence }: Arrival): ArrivalCursor {
  return { transaction, journalId: journal_id, sequence };
}
