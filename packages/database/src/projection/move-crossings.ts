import { type Kysely, sql } from 'kysely';
import { runStatement } from '../sql/run-statement.ts';
import type { DB } from '../sql/schema.ts';
import { isDatabaseUnavailable } from '../sql/unavailable.ts';

/**
 * Moves the stored crossings of devices that were assigned to another store. A crossing's store is found by the statement
 * that stores it, so this waits until all transactions have ended that were storing crossings when the move could first be
 * read: every later one reads the new assignment. Only the process that has the projector's lock may use it.
 */
export class CrossingMover {
  readonly #db: Kysely<DB>;
  readonly #onProblem: (error: unknown) => void;
  readonly #batch: number;
  /** The transactions that may still store crossings of a moved device in its former store, by the id of the move. */
  readonly #earlier = new Map<number, ReadonlySet<string>>();
  /** Moves whose latest batch has failed. */
  readonly #failed = new Set<number>();

  /** `batch` is how many crossings one statement moves: few enough for its deadline. */
  constructor(db: Kysely<DB>, onProblem: (error: unknown) => void, batch = 5_000) {
    this.#db = db;
    this.#onProblem = onProblem;
    this.#batch = batch;
  }

  /**
   * Moves one batch of crossings, of the first move that is ready, and those that have failed after all others. Returns how
   * many moves are pending. Throws only if the database is unavailable.
   */
  async moveSome(): Promise<number> {
    const found = await this.#db.selectFrom('deviceMove').select('id').orderBy('id').execute();
    if (found.length === 0) return 0;
    const writers = new Set(await writersOfCrossings(this.#db));
    for (const { id } of found) this.#earlier.set(id, writers.intersection(this.#earlier.get(id) ?? writers));
    const ready = found.map(({ id }) => id).filter((id) => this.#earlier.get(id)?.size === 0);
    const order = [
      ...ready.filter((id) => !this.#failed.has(id)),
      ...ready.filter((id) => this.#failed.has(id)),
    ];
    for (const id of order) {
      const moved = await this.#move(id);
      if (moved === undefined) continue;
      return moved < this.#batch ? found.length - 1 : found.length;
    }
    return found.length;
  }

  /** Moves a batch of one move. Returns how many crossings it had; undefined if that failed. */
  async #move(id: number): Promise<number | undefined> {
    try {
      const [row] = await runStatement<{ moved: number }>(this.#db, moveStatement, [id, this.#batch]);
      this.#failed.delete(id);
      const moved = row?.moved ?? 0;
      if (moved < this.#batch) this.#earlier.delete(id);
      return moved;
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      this.#failed.add(id);
      this.#onProblem(error);
      return undefined;
    }
  }
}

/** The transactions that write crossings now: they have this lock before they look at the assignments. */
async function writersOfCrossings(db: Kysely<DB>): Promise<string[]> {
  const { rows } = await sql<{ virtualtransaction: string }>`
    select distinct virtualtransaction from pg_locks
    where locktype = 'relation' and relation = 'crossing'::regclass and mode = 'RowExclusiveLock'
      and database = (select oid from pg_database where datname = current_database())`.execute(db);
  return rows.map(({ virtualtransaction }) => virtualtransaction);
}

/**
 * Gives the first crossings in the former store their stores, and marks the quarter hours of both. They get this
 * transaction's number, so that readers in commit order read them again with their new store. Voided ones stay as they
 * are, also if they are voided meanwhile. The next batch begins at the last instant of a full one.
 */
const moveStatement = `
  with move as materialized (
    select * from device_move where id = $1::bigint
  ), found as materialized (
    select stored.*, move.store_id from move cross join lateral (
      select journal_id, sequence, at, assigned.store_id as assigned_id
      from crossing cross join lateral (
        select store_id from device_assignment assigned
        where assigned.device_id = move.device_id and assigned.since <= crossing.at order by assigned.since desc limit 1
      ) assigned
      where crossing.store_id = move.store_id and crossing.device_id = move.device_id
        and at >= since and at < until and assigned.store_id <> move.store_id
      order by at, crossing.device_id, journal_id, sequence limit $2::integer
    ) stored
  ), moved as (
    update crossing set store_id = assigned_id, transaction = (select current_transaction())
    from found
    where crossing.journal_id = found.journal_id and crossing.sequence = found.sequence
      and crossing.store_id = found.store_id
  ), marked as (
    insert into mark (store_id, quarter)
    select distinct side.store_id, floor(extract(epoch from at) / 900)::integer
    from found cross join lateral (values (found.store_id), (assigned_id)) as side (store_id)
  ), counted as (
    select count(*)::integer as moved, max(at) as last from found
  ), continued as (
    update device_move set since = last from counted where id = $1::bigint and moved = $2::integer
  ), finished as (
    delete from device_move using counted where id = $1::bigint and moved < $2::integer
  )
  select moved from counted`;
