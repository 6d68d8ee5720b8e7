import { type Kysely, sql } from 'kysely';
import { type Author, deviceConcerned, recordAudit } from '../audit/record-audit.ts';
import { requireCrossings } from '../retention/removed-before.ts';
import { lockKeys } from '../sql/advisory-locks.ts';
import { applyChangedQuarters, type ChangedQuarter } from './changed-quarters.ts';
import { businessDay, countingIn, type DayCounts, type VoidRange } from './voids.ts';

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
 * occupancy of their stores. Throws NothingVoided, and CrossingsRemoved for a range that begins before the crossings of
 * the company.
 *
 * Devices cannot be moved meanwhile; gateways continue to store.
 */
export async function voidCrossings(db: Kysely<unknown>, order: NewVoid): Promise<Voided> {
  return db.transaction().execute(async (trx) => {
    await requireCrossings(trx, order, order.from);
    await sql`select pg_advisory_xact_lock_shared(${lockKeys.assignments})`.execute(trx);
    const { rows: ids } = await sql<{ id: number }>`
      select nextval(pg_get_serial_sequence('crossing_void', 'id'))::integer as id`.execute(trx);
    const id = ids[0]?.id ?? 0;
    const removed = await remove(trx, id, order);
    const crossings = removed.reduce((sum, { crossings }) => sum + crossings, 0);
    const counts = byDay(removed);
    const isExpected = order.expected === undefined || order.expected === crossings;
    if (crossings === 0 || !isExpected) throw new NothingVoided(crossings);
    await applyChangedQuarters(trx, order.deviceId, removed, -1);
    await sql`
      insert into crossing_void (id, device_id, from_at, until_at, reason, entered_by, crossings, counts)
      values (${id}, ${order.deviceId}, ${new Date(order.from)}, ${new Date(order.until)}, ${order.reason},
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

interface Removed extends ChangedQuarter, Omit<DayCounts, 'in' | 'out'> {
  readonly entries: number;
}

/** One statement, so that what is counted is what is removed, even if crossings arrive meanwhile. */
async function remove(db: Kysely<unknown>, id: number, range: VoidRange): Promise<Removed[]> {
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
