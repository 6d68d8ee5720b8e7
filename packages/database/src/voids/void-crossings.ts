import { type Kysely, sql, type Transaction } from 'kysely';
import { type Author, recordAudit } from '../audit/record-audit.ts';
import { deviceConcerned } from '../audit/subjects.ts';
import { assignmentLock } from '../devices/device-stores.ts';
import { recordRewrites } from '../occupancy/change.ts';
import { requireCrossings } from '../retention/removed-before.ts';
import type { Schema } from '../tables/schema.ts';
import { businessDay, countingIn, type DayCounts, type VoidRange } from './voids.ts';

export interface NewVoid extends VoidRange {
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
 * occupancy of their stores. Throws NothingVoided, and CrossingsRemoved for a range that begins before the crossings of
 * the company.
 *
 * Devices cannot be moved meanwhile; gateways continue to store.
 */
export async function voidCrossings(db: Kysely<Schema>, order: NewVoid): Promise<Voided> {
  return db.transaction().execute(async (trx) => {
    await requireCrossings(trx, order, order.from);
    await sql`select pg_advisory_xact_lock_shared(${assignmentLock})`.execute(trx);
    const { rows: ids } = await sql<{ id: number }>`
      select nextval(pg_get_serial_sequence('crossing_void', 'id'))::integer as id`.execute(trx);
    const id = ids[0]?.id ?? 0;
    const removed = await remove(trx, id, order);
    const crossings = removed.reduce((sum, { crossings }) => sum + crossings, 0);
    const counts = byDay(removed);
    const isExpected = order.expected === undefined || order.expected === crossings;
    if (crossings === 0 || !isExpected) throw new NothingVoided(crossings);
    await applyChangedQuarters(trx, order.deviceId, merged(removed), -1);
    await trx
      .insertInto('crossing_void')
      .values({
        ...{ id, device_id: order.deviceId, reason: order.reason, entered_by: order.author.name, crossings },
        ...{ from_at: new Date(order.from), until_at: new Date(order.until), counts: JSON.stringify(counts) },
      })
      .execute();
    const { from, until, reason } = order;
    await recordAudit(trx, order.author, {
      ...(await deviceConcerned(trx, order.deviceId)),
      action: 'crossings voided',
      details: { void: id, ...isoRange({ from, until }), crossings, reason },
    });
    return { id, crossings, counts };
  });
}

interface Removed extends ChangedQuarter, Omit<DayCounts, 'in' | 'out'> {
  readonly entries: number;
}

function isoRange({ from, until }: Pick<VoidRange, 'from' | 'until'>) {
  return { from: new Date(from).toISOString(), until: new Date(until).toISOString() };
}

/** One statement, so that what is counted is what is removed, even if crossings arrive meanwhile. */
async function remove(db: Kysely<Schema>, id: number, range: VoidRange): Promise<Removed[]> {
  const { rows } = await sql<Removed>`
    with found as materialized (
      select crossing.journal_id, crossing.sequence, crossing.store_id, store.sid, ${businessDay} as day,
        floor(extract(epoch from crossing.at) / 900)::integer as quarter
      from crossing join store on store.id = crossing.store_id
      where ${countingIn(range)}
    ), removed as (
      update crossing set store_id = ${-id}::integer, transaction = (select current_transaction())
      from found
      where crossing.journal_id = found.journal_id and crossing.sequence = found.sequence
        and crossing.store_id = found.store_id
      returning found.store_id, found.sid, found.day, found.quarter, crossing.direction
    )
    select store_id as "storeId", sid as store, day, quarter, count(*)::integer as crossings,
      (count(*) filter (where direction = 1))::integer as entries
    from removed group by store_id, sid, day, quarter`.execute(db);
  return rows;
}

/** A quarter hour may lie in two business days. */
function merged(removed: readonly Removed[]): ChangedQuarter[] {
  const groups = Map.groupBy(removed, ({ storeId, quarter }) => `${storeId} ${quarter}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first ? [{ ...first, crossings: group.reduce((sum, { crossings }) => sum + crossings, 0) }] : [];
  });
}

function byDay(removed: readonly Removed[]): DayCounts[] {
  const groups = Map.groupBy(removed, ({ store, day }) => `${store} ${day}`);
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, group]) => {
      const [first] = group;
      if (first === undefined) return [];
      const entries = group.reduce((sum, one) => sum + one.entries, 0);
      const crossings = group.reduce((sum, one) => sum + one.crossings, 0);
      return [{ store: first.store, day: first.day, in: entries, out: crossings - entries }];
    });
}

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

/** How many crossings of a store and quarter hour have changed. */
export interface ChangedQuarter {
  readonly storeId: number;
  /** Quarter hours since 1970. */
  readonly quarter: number;
  readonly crossings: number;
}

/**
 * Brings what is derived from crossings up to date after some of them were removed (`sign` -1) or restored (1), in
 * the same transaction.
 */
export async function applyChangedQuarters(
  trx: Transaction<Schema>,
  deviceId: number,
  changed: readonly ChangedQuarter[],
  sign: 1 | -1,
): Promise<void> {
  const quarters = new Map(changed.map((one) => [`${one.storeId} ${one.quarter}`, one]));
  await recordRewrites(trx, [...quarters.values()]);
  const days = new Map<number, number>();
  for (const { quarter, crossings } of changed) {
    const day = Math.floor(quarter / quartersPerDay);
    days.set(day, (days.get(day) ?? 0) + sign * crossings);
  }
  /* Voided crossings do not count towards the limits of their device. */
  await sql`
    update device_day set crossed = greatest(0, crossed + more)
    from json_to_recordset(${JSON.stringify([...days].map(([day, more]) => ({ day, more })))})
      as changed (day integer, more bigint)
    where device_day.device_id = ${deviceId} and device_day.day = changed.day`.execute(trx);
}

const quartersPerDay = 96;
