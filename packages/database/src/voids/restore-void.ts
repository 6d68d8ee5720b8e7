import { type Kysely, sql } from 'kysely';
import { type Author, deviceConcerned, recordAudit } from '../audit/record-audit.ts';
import { storeOfCrossing } from '../crossings/arrivals.ts';
import { requireCrossings } from '../retention/removed-before.ts';
import { lockKeys } from '../sql/advisory-locks.ts';
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
  db: Kysely<unknown>,
  { id, author }: { readonly id: number; readonly author: Author },
): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ device_id: number; from_at: Date }>`
      select device_id, from_at from crossing_void where id = ${id}`.execute(trx);
    const [found] = rows;
    if (found === undefined) throw new NothingToRestore('there is no such void');
    await requireCrossings(trx, { deviceId: found.device_id }, found.from_at.getTime());
    await sql`select pg_advisory_xact_lock_shared(${lockKeys.assignments})`.execute(trx);
    const { rows: restored } = await sql<ChangedQuarter>`
      with restored as (
        update crossing set transaction = (select current_transaction()), store_id = ${storeOfCrossing}
        where store_id = ${-id}::integer
        returning store_id, floor(extract(epoch from at) / 900)::integer as quarter
      )
      select store_id as "storeId", quarter, count(*)::integer as crossings
      from restored group by store_id, quarter`.execute(trx);
    const crossings = restored.reduce((sum, one) => sum + one.crossings, 0);
    const { numAffectedRows } = await sql`
      insert into crossing_void_restored (void_id, entered_by, crossings)
      values (${id}, ${author.name}, ${crossings}) on conflict do nothing`.execute(trx);
    if (numAffectedRows === 0n) throw new NothingToRestore('its crossings were restored before');
    await applyChangedQuarters(trx, found.device_id, restored, 1);
    await recordAudit(trx, author, {
      ...(await deviceConcerned(trx, found.device_id)),
      action: 'crossings restored',
      details: { void: id, crossings },
    });
    return crossings;
  });
}
