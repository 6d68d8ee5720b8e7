import { type Kysely, sql } from 'kysely';
import { type Author, deviceConcerned, recordAudit } from '../audit/record-audit.ts';
import { storeOfCrossing } from '../crossings/arrivals.ts';
import type { Quarter } from '../occupancy/quarter.ts';
import { markQuarters } from '../projection/projection.ts';
import { requireCrossings } from '../retention/retention.ts';
import { timestamp } from '../sql/instant.ts';
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

/** Nothing was changed: there are no such crossings, or not as many as expected. */
export class NothingVoided extends Error {
  override readonly name = 'NothingVoided';
  readonly code = 'nothing-voided';
  readonly crossings: number;

  constructor(crossings: number) {
    super(`nothing was voided: there are ${crossings} such crossings`);
    this.crossings = crossings;
  }
}

/**
 * Removes a device's crossings from all counts, and records who did it and why. They stay in their table under the
 * negative id of the void instead of their store: one that a unit sends again is recognised as stored, and
 * `restoreVoid` finds them. Readers of crossings in commit order read them again. The projector corrects the
 * occupancy of their stores. Throws NothingVoided, and CrossingsRemoved for a range that begins before the horizon of the
 * company. Gateways continue to store meanwhile.
 */
export async function voidCrossings(db: Kysely<DB>, order: NewVoid): Promise<Voided> {
  return db.transaction().execute(async (trx) => {
    await requireCrossings(trx, order, order.from);
    const { rows: ids } = await sql<{ id: number }>`
      select nextval(pg_get_serial_sequence('crossing_void', 'id'))::integer as id`.execute(trx);
    const id = ids[0]?.id ?? 0;
    const removed = await remove(trx, id, order);
    const crossings = removed.reduce((sum, { crossings }) => sum + crossings, 0);
    const counts = byDay(removed);
    const isExpected = order.expected === undefined || order.expected === crossings;
    if (crossings === 0 || !isExpected) throw new NothingVoided(crossings);
    const changed = removed.map((one) => ({ ...one, quarter: Math.floor(one.minute / 15) }));
    await markQuarters(trx, changed);
    await sql`
      insert into crossing_void (id, device_id, from_at, until_at, reason, entered_by, crossings, counts)
      values (${id}, ${order.deviceId}, ${timestamp(order.from)}, ${timestamp(order.until)}, ${order.reason},
        ${order.author.name}, ${crossings}, ${JSON.stringify(counts)})`.execute(trx);
    const [from, until] = [new Date(order.from).toISOString(), new Date(order.until).toISOString()];
    await recordAudit(trx, order.author, {
      ...(await deviceConcerned(trx, order.deviceId)),
      action: 'crossings voided',
      details: { void: id, from, until, crossings, reason: order.reason },
    });
    return { id, crossings, counts };
  });
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
        and crossing.store_id = found."storeId"
      returning found."storeId", found.store, found."timeZone", found."dayStartsAt", found.minute, crossing.direction
    )
    select "storeId", store, "timeZone", "dayStartsAt", minute, count(*)::integer as crossings,
      (count(*) filter (where direction = 1))::integer as entries
    from removed group by "storeId", store, "timeZone", "dayStartsAt", minute`.execute(db);
  return rows;
}

/** There is no void of this id, or its crossings have been restored. */
export class NothingToRestore extends Error {
  override readonly name = 'NothingToRestore';
}

/**
 * Restores the crossings of a void: they count again, each in the store of its device at its instant, by the present
 * assignments. The void itself stays on record. Resolves with how many crossings they are. Throws NothingToRestore, and
 * CrossingsRemoved if some of them are before the horizon of the company.
 */
export async function restoreVoid(
  db: Kysely<DB>,
  { id, author }: { readonly id: number; readonly author: Author },
): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ deviceId: number; fromAt: number }>`
      select device_id, from_at from crossing_void where id = ${id}`.execute(trx);
    const [found] = rows;
    if (found === undefined) throw new NothingToRestore('there is no such void');
    await requireCrossings(trx, { deviceId: found.deviceId }, found.fromAt);
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
    await markQuarters(trx, restored);
    await recordAudit(trx, author, {
      ...(await deviceConcerned(trx, found.deviceId)),
      action: 'crossings restored',
      details: { void: id, crossings },
    });
    return crossings;
  });
}

/** How many crossings of a quarter hour have changed. */
interface ChangedQuarter extends Quarter {
  readonly crossings: number;
}
