import type { Direction } from '@visitor-counter/domain/crossing';
import { sql } from 'kysely';
import { anyOf, type Db, instant } from '../sql/query-builder.ts';
import {
  type ArrivalCursor,
  type ArrivalPlace,
  afterAll,
  firstArrival,
  presentEpoch,
} from './arrival-cursor.ts';

/** A crossing as a reader in commit order receives it. */
export interface Arrival {
  readonly transaction: number;
  readonly journalId: number;
  readonly sequence: number;
  /** Epoch ms. */
  readonly at: number;
  readonly uncertaintyMs: number | null;
  readonly direction: Direction;
  /** For a voided crossing, the store that its device belongs to at its instant. */
  readonly storeId: number;
  /** An operator has removed it from all counts. */
  readonly voided: boolean;
  readonly serial: string;
  readonly journal: string;
}

/** Crossings after a cursor, and where to continue. */
interface Arrivals {
  readonly arrivals: readonly Arrival[];
  readonly next: ArrivalCursor;
  /** There may be more after `next` now. */
  readonly more: boolean;
}

/**
 * The crossings of stores after a cursor in the order in which they became readable, at most `limit`, and fewer only
 * at the end. The cursor must be of this epoch.
 *
 * A transaction is read only when all that began to write before it have ended, so that nothing can appear before a
 * cursor that was returned. A transaction that hangs delays those that began after it; nothing is lost. A crossing
 * that was moved to another store, voided or restored is read again, under its key.
 *
 * `db` must be a snapshot.
 */
export async function readArrivals(
  db: Db,
  storeIds: readonly number[],
  after: ArrivalCursor,
  limit: number,
): Promise<Arrivals> {
  const { epoch, end } = await presentEpoch(db);
  const arrivals = await readAfter(db, storeIds, after, end, limit);
  const last = arrivals.at(-1);
  const read = { ...after, ...(last && placeOf(last)), epoch };
  if (arrivals.length === limit) return { arrivals, next: read, more: true };
  return { arrivals, next: await atEnd(db, read, end), more: false };
}

/**
 * The position after the last crossing of all stores, so that a reader of few stores does not read those of others again, and
 * has not missed them when they are removed. It is not later than that: the next epoch begins after the last stored
 * crossing, so a later position would not be valid in it.
 */
async function atEnd(db: Db, read: ArrivalCursor, end: number): Promise<ArrivalCursor> {
  const found = await db
    .selectFrom('crossing')
    .select(({ fn }) => fn.max('transaction').as('highest'))
    .where('transaction', '>=', read.transaction)
    .where('transaction', '<', end)
    .executeTakeFirst();
  return found?.highest ? { ...read, transaction: found.highest, ...afterAll } : read;
}

/**
 * The position before the first arrival of a crossing that happened at `from` (epoch ms) or later. What arrives
 * after it may have happened earlier.
 */
export async function cursorBefore(
  db: Db,
  storeIds: readonly number[],
  from: number,
): Promise<ArrivalCursor> {
  const { end } = await presentEpoch(db);
  /* `offset 0` makes the database find them by store and time: in the order of commits they come after all others. */
  const { rows } = await sql<{ first: number | null }>`
    select min(transaction) as first
    from (
      select transaction from crossing
      where store_id = ${anyOf(storeIds)} and at >= ${instant(from)}
      offset 0
    ) found`.execute(db);
  const first = rows[0]?.first;
  if (first && first < end) return { ...firstArrival, transaction: first };
  return await atEnd(db, firstArrival, end);
}

/** The store of a row of `crossing`; of a voided one, the store that its device belongs to at its instant. */
export const storeOfCrossing = sql`case when crossing.store_id > 0 then crossing.store_id else (
    select assigned.store_id from store_at(crossing.device_id, crossing.at) assigned
  ) end`;

/** The crossings after a place, of transactions below `end`. */
async function readAfter(
  db: Db,
  storeIds: readonly number[],
  { transaction, journalId, sequence }: ArrivalPlace,
  end: number,
  limit: number,
): Promise<Arrival[]> {
  const { rows } = await sql<Omit<Arrival, 'serial' | 'journal'>>`
    select transaction, journal_id, sequence, epoch_ms(at) as at, uncertainty_ms, direction,
      ${storeOfCrossing} as store_id, store_id < 0 as voided
    from crossing
    where transaction >= ${transaction} and transaction < ${end}
      and (transaction, journal_id, sequence) > (${transaction}, ${journalId}, ${sequence})
      and ${storeOfCrossing} = ${anyOf(storeIds)}
    order by transaction, journal_id, sequence limit ${limit}`.execute(db);
  const names = await readJournalNames(db, new Set(rows.map((row) => row.journalId)));
  return rows.map((row) => ({ ...row, serial: '', journal: '', ...names.get(row.journalId) }));
}

/** The names of journals and their devices by the id of the journal: far fewer than crossings. */
async function readJournalNames(
  db: Db,
  ids: ReadonlySet<number>,
): Promise<Map<number, Pick<Arrival, 'serial' | 'journal'>>> {
  const journals = await db
    .selectFrom('journal')
    .innerJoin('device', 'device.id', 'journal.deviceId')
    .select(['journal.id', 'device.serial', 'journal.name as journal'])
    .where('journal.id', '=', anyOf([...ids]))
    .execute();
  return new Map(journals.map(({ id, serial, journal }) => [id, { serial, journal }]));
}

function placeOf({ transaction, journalId, sequence }: Arrival): ArrivalPlace {
  return { transaction, journalId, sequence };
}
