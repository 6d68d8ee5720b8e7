import type { ClientBase } from 'pg';
import { inTransaction, runStatement } from '../sql/run-statement.ts';

/** The transactions that may still store crossings of a moved device in its former store, by the id of the move. */
export type EarlierWriters = Map<string, ReadonlySet<string>>;

/**
 * Moves the stored crossings of devices that were assigned to another store. A crossing's store is found by the statement
 * that stores it, so this waits until all transactions have ended that were storing crossings when the move could first be
 * read: every later one reads the new assignment. Only the process that has the projector's lock may call it, again and
 * again with the same `earlier`. Returns how many moves are pending.
 */
export async function moveCrossings(client: ClientBase, earlier: EarlierWriters): Promise<number> {
  const moves = await runStatement<{ id: string }>(client, 'find-moves', findStatement, []);
  if (moves.length === 0) return 0;
  const writers = new Set(await writersOfCrossings(client));
  let pending = 0;
  for (const { id } of moves) {
    const left = writers.intersection(earlier.get(id) ?? writers);
    earlier.set(id, left);
    if (left.size > 0) pending += 1;
    else {
      await inTransaction(client, async () => {
        await client.query(`set local statement_timeout = ${longest}`);
        await runStatement(client, 'move-crossings', moveStatement, [id]);
      });
      earlier.delete(id);
    }
  }
  return pending;
}

/** How long the crossings of one move may take (ms): years of a busy door. */
const longest = 15 * 60_000;

const findStatement = 'select id from device_move order by id';

/** The transactions that write crossings now: they have this lock before they look at the assignments. */
async function writersOfCrossings(client: ClientBase): Promise<string[]> {
  const rows = await runStatement<{ virtualtransaction: string }>(
    client,
    'find-writers',
    writersStatement,
    [],
  );
  return rows.map(({ virtualtransaction }) => virtualtransaction);
}

const writersStatement = `
  select distinct virtualtransaction from pg_locks
  where locktype = 'relation' and relation = 'crossing'::regclass and mode = 'RowExclusiveLock'
    and database = (select oid from pg_database where datname = current_database())`;

/**
 * Gives each crossing the store of its device at its instant, and marks the quarter hours of both stores. The crossings get
 * this transaction's number, so that readers in commit order read them again with their new store. Voided ones stay as they
 * are, also if they are voided meanwhile.
 */
const moveStatement = `
  with found as materialized (
    select stored.*, assigned.store_id as assigned_id
    from device_move move join journal on journal.device_id = move.device_id
    cross join lateral (
      select journal_id, sequence, at, store_id from crossing
      where journal_id = journal.id and at >= since and at < until and store_id > 0
      offset 0
    ) stored
    cross join lateral (
      select store_id from device_assignment assigned
      where assigned.device_id = move.device_id and assigned.since <= stored.at order by assigned.since desc limit 1
    ) assigned
    where move.id = $1::bigint and assigned.store_id <> stored.store_id
  ), moved as (
    update crossing set store_id = assigned_id, transaction = (select current_transaction())
    from found
    where crossing.journal_id = found.journal_id and crossing.sequence = found.sequence
      and crossing.store_id = found.store_id
  ), marked as (
    insert into mark (store_id, quarter)
    select distinct side.store_id, floor(extract(epoch from at) / 900)::integer
    from found cross join lateral (values (found.store_id), (assigned_id)) as side (store_id)
  )
  delete from device_move where id = $1::bigint`;
