import { type Kysely, sql } from 'kysely';
import { type Author, recordAudit } from '../audit/record-audit.ts';
import { deviceConcerned } from '../audit/subjects.ts';
import { assignmentLock } from '../devices/device-stores.ts';
import { requireCrossings } from '../retention/removed-before.ts';
import type { Schema } from '../tables/schema.ts';
import { applyChangedQuarters, type ChangedQuarter } from './changed-quarters.ts';

/** There is no void of this id, or its crossings have been restored. */
export class NothingToRestore extends Error {
  override readonly name = 'NothingToRestore';
}

/**
 * Restores the crossings of a void: they count again, each in the store of its device at its instant, by the present
 * assignments. The void itself stays on record. Resolves with how many crossings they are. Throws NothingToRestore, and
 * CrossingsRemoved if retention has removed some of them.
 */
export async function restoreVoid(
  db: Kysely<Schema>,
  { id, author }: { readonly id: number; readonly author: Author },
): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const found = await trx
      .selectFrom('crossing_void')
      .select(['device_id', 'from_at'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (found === undefined) throw new NothingToRestore('there is no such void');
    await requireCrossings(trx, { deviceId: found.device_id }, found.from_at.getTime());
    await sql`select pg_advisory_xact_lock_shared(${assignmentLock})`.execute(trx);
    const { rows: restored } = await sql<ChangedQuarter>`
      with restored as (
        update crossing set transaction = (select current_transaction()), store_id = (
          select store_id from device_assignment
          where device_assignment.device_id = crossing.device_id and since <= crossing.at
          order by since desc limit 1
        )
        where store_id = ${-id}::integer
        returning store_id, floor(extract(epoch from at) / 900)::integer as quarter
      )
      select store_id as "storeId", quarter, count(*)::integer as crossings
      from restored group by store_id, quarter`.execute(trx);
    const crossings = restored.reduce((sum, one) => sum + one.crossings, 0);
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('crossing_void_restored')
      .values({ void_id: id, entered_by: author.name, crossings })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 0n) throw new NothingToRestore('its crossings were restored before');
    await applyChangedQuarters(trx, found.device_id, restored, 1);
    await recordAudit(trx, author, {
      ...(await deviceConcerned(trx, found.device_id)),
      action: 'crossings restored',
      details: { void: id, crossings },
    });
    return crossings;
  });
}
