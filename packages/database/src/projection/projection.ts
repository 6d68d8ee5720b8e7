import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Quarter } from '../occupancy/quarter.ts';
import type { Database } from '../sql/connect.ts';
import { type Db, numberColumns, type Transaction } from '../sql/query-builder.ts';

/** The lag of the projection behind the log. */
export type Lag = Awaited<ReturnType<typeof readLag>>;

/** Reads how many quarter hours are marked to be folded again, and how long ago the oldest mark was written (ms; 0 without one). */
export async function readLag({ kysely }: Pick<Database, 'kysely'>) {
  const lag = sql<number>`coalesce(epoch_ms(clock_timestamp()) - epoch_ms(min(written_at)), 0)`;
  return await kysely
    .selectFrom('mark')
    .select(({ fn }) => [fn.countAll<number>().as('marks'), lag.as('lag')])
    .executeTakeFirstOrThrow();
}

/**
 * Marks quarter hours of which crossings or corrections were changed or removed, in the transaction that does it: the
 * projector folds all of each.
 */
export async function markQuarters(db: Db, quarters: readonly Quarter[]): Promise<void> {
  const [stores, numbers] = numberColumns(quarters, 'storeId', 'quarter');
  await sql`
    insert into mark (store_id, quarter)
    select distinct * from unnest(${stores}::integer[], ${numbers}::integer[])`.execute(db);
}

/** How long a change of the past is waited for, and how often it is looked at (ms). */
const [mostWait, interval] = [2_000, 50];

/** Resolves when the projection contains what was changed in the past of a store, or after two seconds. */
export async function untilProjected(db: Db, storeId: number): Promise<void> {
  const until = Date.now() + mostWait;
  const isMarked = db
    .selectFrom('mark')
    .select('id')
    .where('storeId', '=', storeId)
    .where('first', 'is', null);
  while (Date.now() < until && (await isMarked.limit(1).executeTakeFirst())) await delay(interval);
}

/**
 * Marks every quarter hour and every calendar: the projector derives everything from crossings and corrections again,
 * whatever it contains now. Readers see the old numbers until then. Returns the number of quarters. Those whose crossings have been
 * deleted stay as they are.
 */
export async function rebuildProjection(trx: Transaction): Promise<number> {
  const { rows } = await sql<{ quarters: number }>`
    with known as (
      select distinct store_id, quarter_of(at) as quarter from crossing where store_id > 0
      union select store_id, quarter_of(at) from entry where kind = 'correction'
      union select store_id, quarter from quarter_state
      union select store_id, quarter from quarter
    ), kept as materialized (
      select store_id, quarter from known
      join store on store.id = store_id join company on company.id = company_id
      where quarter_start(quarter) >= deleted_before
    ), marked as (
      insert into mark (store_id, quarter)
      select * from kept union all select id, null from store
    )
    select count(*) as quarters from kept`.execute(trx);
  return rows[0]?.quarters ?? 0;
}
