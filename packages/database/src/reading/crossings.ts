import { sql } from 'kysely';
import { type CrossingRow, inOrderOfEffect } from './crossing-order.ts';
import { timestamp } from './instant.ts';
import type { Reader } from './snapshot.ts';

/** How many rows a batch has: large enough to hide the round trip, small enough to keep memory flat. */
const batchRows = 4_000;

/**
 * A store's crossings with instants in [`from`, `to`) (epoch ms), all its devices, in the order in which
 * they act on its occupancy; in batches, so that memory does not depend on the length of the range.
 *
 * Give it a snapshot's `db`: each batch is a statement of its own.
 */
export function readCrossings(
  db: Reader,
  storeId: number,
  from: number,
  to: number,
): AsyncGenerator<readonly CrossingRow[]> {
  return inOrderOfEffect(inIndexOrder(db, storeId, from, to), (ids) => journalNames(db, ids));
}

/** Goes on behind the last row of each batch, so the server keeps nothing between two of them. */
async function* inIndexOrder(
  db: Reader,
  storeId: number,
  from: number,
  to: number,
): AsyncGenerator<readonly CrossingRow[]> {
  const end = timestamp(to);
  let last: Position = { at: from, device_id: 0, journal_id: 0, sequence: '0' };
  for (;;) {
    const batch = await readBatch(db, storeId, last, end);
    yield batch;
    const lastRow = batch.at(-1);
    if (lastRow === undefined || batch.length < batchRows) return;
    last = lastRow;
  }
}

type Position = Omit<CrossingRow, 'direction'>;

async function readBatch(db: Reader, storeId: number, after: Position, end: string): Promise<CrossingRow[]> {
  const { rows } = await sql<CrossingRow>`
    select (extract(epoch from crossing.at) * 1000)::float8 as at, device_id, journal_id, sequence, direction
    from crossing
    where store_id = ${storeId} and crossing.at < ${end}::timestamptz
      and (crossing.at, device_id, journal_id, sequence)
        > (${timestamp(after.at)}::timestamptz, ${after.device_id}::int, ${after.journal_id}::int, ${after.sequence}::bigint)
    order by crossing.at, device_id, journal_id, sequence
    limit ${batchRows}`.execute(db);
  return rows;
}

async function journalNames(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await db.selectFrom('journal').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
