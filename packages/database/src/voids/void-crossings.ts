import { Refused } from '@visitor-counter/service/errors';
import { type RawBuilder, sql } from 'kysely';
import { type Author, concerned, recordAudit } from '../audit/audit-log.ts';
import { storeOfCrossing } from '../crossings/arrivals.ts';
import { requireCrossings } from '../retention/retention.ts';
import { lockKeys, takeLock } from '../sql/advisory-locks.ts';
import { type Db, instant, timestamp } from '../sql/query-builder.ts';

/** The crossings of a device with instants in [`from`, `until`) (epoch ms). */
export interface VoidRange {
  readonly deviceId: number;
  readonly from: number;
  readonly until: number;
}

/** Crossings of a store on one of its business days. */
interface DayCounts {
  readonly store: string;
  /** YYYY-MM-DD */
  readonly day: string;
  readonly in: number;
  readonly out: number;
}

/**
 * A condition on `crossing` for the crossings of a range that are not voided. It uses the index by store, through the
 * stores that the device ever belonged to.
 */
function countingIn({ deviceId, from, until }: VoidRange): RawBuilder<boolean> {
  return sql<boolean>`crossing.store_id = any(array(
      select store_id from device_assignment where device_id = ${deviceId}
    )) and crossing.device_id = ${deviceId}
    and crossing.at >= ${instant(from)} and crossing.at < ${instant(until)}`;
}

/** How many crossings of a table each store has on each business day. */
function countsOf(crossings: RawBuilder<unknown>) {
  return sql`
    select store.sid as store, (one.at at time zone time_zone - day_starts_at::interval)::date as day,
      count(*) filter (where direction = 1) as "in", count(*) filter (where direction = -1) as out
    from ${crossings} one join store on store.id = one.store_id
    group by store.id, day order by store.sid collate "C", day`;
}

/** What voiding a range would remove, by store and day. */
export async function previewVoid(db: Db, range: VoidRange): Promise<DayCounts[]> {
  const counting = sql`(select store_id, at, direction from crossing where ${countingIn(range)})`;
  const { rows } = await sql<DayCounts>`${countsOf(counting)}`.execute(db);
  return rows;
}

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
export async function voidCrossings(db: Db, order: NewVoid): Promise<Voided> {
  const { deviceId, reason, author, expected } = order;
  return db.transaction().execute(async (trx) => {
    await requireCrossings(trx, order, order.from);
    await refuseWhileMoving(trx, deviceId);
    const [from, until] = [timestamp(order.from), timestamp(order.until)];
    const nextId = sql<number>`nextval(pg_get_serial_sequence('crossing_void', 'id'))`;
    const { id } = await trx.selectNoFrom(nextId.as('id')).executeTakeFirstOrThrow();
    const counts = await remove(trx, id, order);
    const crossings = counts.reduce((sum, day) => sum + day.in + day.out, 0);
    if (expected !== undefined && expected !== crossings)
      throw new Refused(
        `nothing was changed: ${expected} crossings were shown, and there are ${crossings} now; run the command again`,
      );
    if (crossings === 0)
      throw new Refused('nothing was changed: no crossings of the device count in this range');
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
      ...(await concerned(trx, 'device', deviceId)),
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
async function refuseWhileMoving(trx: Db, deviceId: number): Promise<void> {
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

/** One statement, so that what is counted is what is removed, even if crossings arrive meanwhile. Marks their quarter hours. */
async function remove(db: Db, id: number, range: VoidRange): Promise<DayCounts[]> {
  const { rows } = await sql<DayCounts>`
    with found as materialized (
      select journal_id, sequence, store_id, at, direction from crossing where ${countingIn(range)}
    ), removed as (
      update crossing set store_id = ${-id}, transaction = (select current_transaction())
      from found
      where crossing.journal_id = found.journal_id and crossing.sequence = found.sequence
        and crossing.store_id = found.store_id
      returning found.store_id, found.at, found.direction
    ), marked as (
      insert into mark (store_id, quarter) select distinct store_id, quarter_of(at) from removed
    )
    ${countsOf(sql`removed`)}`.execute(db);
  return rows;
}

/**
 * Restores the crossings of a void: they count again, each in the store of its device at its instant, by the present
 * assignments. The void itself stays on record. Resolves with how many crossings they are. Throws Refused, and
 * CrossingsRemoved if some of them are before the horizon of the company.
 */
export async function restoreVoid(db: Db, id: number, author: Author): Promise<number> {
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
    const { rows } = await sql<{ crossings: number }>`
      with restored as (
        update crossing set transaction = (select current_transaction()), store_id = ${storeOfCrossing}
        where store_id = ${-id}
        returning store_id, at
      ), marked as (
        insert into mark (store_id, quarter) select distinct store_id, quarter_of(at) from restored
      )
      select count(*) as crossings from restored`.execute(trx);
    const crossings = rows[0]?.crossings ?? 0;
    await trx
      .updateTable('crossingVoid')
      .set({ restoredBy: author.name, restoredAt: sql<number>`now()` })
      .where('id', '=', id)
      .execute();
    await recordAudit(trx, author, {
      ...(await concerned(trx, 'device', deviceId)),
      action: 'crossings restored',
      details: { void: id, crossings },
    });
    return crossings;
  });
}

/** False crossings that an operator removed, and who restored them, if they were restored. */
export type ListedVoid = Awaited<ReturnType<typeof listVoids>>[number];

/** The voids of a device, or of all, oldest first. */
export async function listVoids(db: Db, deviceId?: number) {
  const rows = await db
    .selectFrom('crossingVoid as void')
    .innerJoin('device', 'device.id', 'void.deviceId')
    .select(['void.id', 'serial', 'fromAt as from', 'untilAt as until', 'reason', 'enteredBy as by'])
    .select(['enteredAt as at', 'crossings', 'counts', 'restoredBy', 'restoredAt'])
    .$if(deviceId !== undefined, (query) => query.where('deviceId', '=', deviceId ?? 0))
    .orderBy('void.id')
    .execute();
  return rows.map(({ restoredBy: by, restoredAt: at, ...row }) => ({
    ...row,
    restored: by === null || at === null ? null : { by, at },
  }));
}
