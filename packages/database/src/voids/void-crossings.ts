import { Refused } from '@visitor-counter/service/errors';
import { type Kysely, sql } from 'kysely';
import { type Author, deviceConcerned, recordAudit } from '../audit/record-audit.ts';
import { storeOfCrossing } from '../crossings/arrivals.ts';
import type { Quarter } from '../occupancy/quarter.ts';
import { markQuarters } from '../projection/projection.ts';
import { requireCrossings } from '../retention/retention.ts';
import { lockKeys, takeLock } from '../sql/advisory-locks.ts';
import { instant, timestamp } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';
import { byDay, countingIn, type DayCounts, type MinuteCounts, perMinute, type VoidRange } from './voids.ts';

interface NewVoid extends VoidRange {
  readonly reason: string;
  /** Who voids them. */
  readonly author: Author;
  /** How many crossings the operator expects; any number if left out. */
  readonly expected?: number | undefined;
}

/** What a void removed. */
export interface Voided {
  readonly id: number;
  readonly crossings: number;
  readonly counts: readonly DayCounts[];
}

/**
 * Removes a device's crossings from all counts, and records who did it and why. They stay in their table under the
 * negative id of the void instead of their store: one that a unit sends again is recognised as stored, and
 * `restoreVoid` finds them. Readers of crossings in commit order read them again. The projector corrects the
 * occupancy of their stores. Throws Refused, and CrossingsRemoved for a range that begins before the horizon of the
 * company. Gateways continue to store meanwhile.
 */
export async function voidCrossings(db: Kysely<DB>, order: NewVoid): Promise<Voided> {
  const { deviceId, reason, author, expected } = order;
  return db.transaction().execute(async (trx) => {
    await requireCrossings(trx, order, order.from);
    await refuseWhileMoving(trx, deviceId);
    const [from, until] = [timestamp(order.from), timestamp(order.until)];
    const { rows: ids } = await sql<{ id: number }>`
      select nextval(pg_get_serial_sequence('crossing_void', 'id')) as id`.execute(trx);
    const id = ids[0]?.id ?? 0;
    const removed = await remove(trx, id, order);
    const crossings = removed.reduce((sum, { crossings }) => sum + crossings, 0);
    const counts = byDay(removed);
    if (expected !== undefined && expected !== crossings)
      throw new Refused(
        `nothing was changed: ${expected} crossings were shown, and there are ${crossings} now; run the command again`,
      );
    if (crossings === 0)
      throw new Refused('nothing was changed: no crossings of the device count in this range');
    const changed = removed.map((one) => ({ ...one, quarter: Math.floor(one.minute / 15) }));
    await markQuarters(trx, changed);
    await trx
      .insertInto('crossingVoid')
      .values({
        id,
        deviceId,
        fromAt: instant(order.from),
        untilAt: instant(order.until),
        reason,
        enteredBy: author.name,
        crossings,
        counts: JSON.stringify(counts),
      })
      .execute();
    await recordAudit(trx, author, {
      ...(await deviceConcerned(trx, deviceId)),
      action: 'crossings voided',
      details: { void: id, from, until, crossings, reason },
    });
    return { id, crossings, counts };
  });
}

/**
 * Until the projector has moved them, crossings of a moved device are in a store that may not be one of its own, where they
 * would be missed. A command that moves a device takes the same lock.
 */
async function refuseWhileMoving(trx: Kysely<DB>, deviceId: number): Promise<void> {
  await takeLock(trx, lockKeys.topology);
  const move = await trx
    .selectFrom('deviceMove')
    .select('id')
    .where('deviceId', '=', deviceId)
    .executeTakeFirst();
  if (move !== undefined)
    throw new Refused(
      'nothing was changed: the crossings of the device are being moved to another store; run the command again in a minute',
    );
}

/** One statement, so that what is counted is what is removed, even if crossings arrive meanwhile. */
async function remove(db: Kysely<DB>, id: number, range: VoidRange): Promise<MinuteCounts[]> {
  const { rows } = await sql<MinuteCounts>`
    with found as materialized (
      select crossing.journal_id, crossing.sequence, ${perMinute}
      from crossing join store on store.id = crossing.store_id
      where ${countingIn(range)}
    ), removed as (
      update crossing set store_id = ${-id}::integer, transaction = (select current_transaction())
      from found
      where crossing.journal_id = found.journal_id and crossing.sequence = found.sequence
        and crossing.store_id = found.store_id
      returning found.store_id, found.store, time_zone, day_starts_at, found.minute, crossing.direction
    )
    select store_id, store, time_zone, day_starts_at, minute, count(*) as crossings,
      count(*) filter (where direction = 1) as entries
    from removed group by store_id, store, time_zone, day_starts_at, minute`.execute(db);
  return rows;
}

/**
 * Restores the crossings of a void: they count again, each in the store of its device at its instant, by the present
 * assignments. The void itself stays on record. Resolves with how many crossings they are. Throws Refused, and
 * CrossingsRemoved if some of them are before the horizon of the company.
 */
export async function restoreVoid(db: Kysely<DB>, id: number, author: Author): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const found = await trx
      .selectFrom('crossingVoid')
      .select(['deviceId', 'fromAt', 'restoredAt'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (found === undefined) throw new Refused('nothing was changed: there is no such void');
    if (found.restoredAt !== null)
      throw new Refused('nothing was changed: its crossings were restored before');
    const { deviceId } = found;
    await requireCrossings(trx, { deviceId }, found.fromAt);
    await takeLock(trx, lockKeys.topology);
    const { rows: restored } = await sql<Quarter & { readonly crossings: number }>`
      with restored as (
        update crossing set transaction = (select current_transaction()), store_id = ${storeOfCrossing}
        where store_id = ${-id}::integer
        returning store_id, quarter_of(at) as quarter
      )
      select store_id, quarter, count(*) as crossings from restored group by store_id, quarter`.execute(trx);
    const crossings = restored.reduce((sum, one) => sum + one.crossings, 0);
    await trx
      .updateTable('crossingVoid')
      .set({ restoredBy: author.name, restoredAt: sql<number>`now()` })
      .where('id', '=', id)
      .execute();
    await markQuarters(trx, restored);
    await recordAudit(trx, author, {
      ...(await deviceConcerned(trx, deviceId)),
      action: 'crossings restored',
      details: { void: id, crossings },
    });
    return crossings;
  });
}
