import type { Direction } from '@visitor-counter/domain/crossing';
import { nameKey } from '@visitor-counter/domain/name-key';
import { sql } from 'kysely';
import { storeOfCrossing } from '../crossings/arrivals.ts';
import type { Db } from '../sql/query-builder.ts';

/** The name of a crossing: the journal of a device, and its number in it. */
export interface CrossingName {
  readonly deviceId: number;
  readonly journal: string;
  readonly sequence: number;
}

/** The device of a crossing. Instants (epoch ms) are those of the server's clock. */
export type TracedDevice = NonNullable<Awaited<ReturnType<typeof tracedDevice>>>;

/** The device with a serial number, in any letter case, and what it last said of its journals. */
export async function tracedDevice(db: Db, serial: string, journal: string) {
  return await db
    .selectFrom('device')
    .innerJoin('company', 'company.id', 'device.companyId')
    .leftJoin('deviceState as state', 'state.deviceId', 'device.id')
    .leftJoin('journal', (join) =>
      join.onRef('journal.deviceId', '=', 'device.id').on('journal.name', '=', journal),
    )
    .select(['device.id', 'serial', 'device.name', 'company.name as company', 'registeredAt', 'retiredAt'])
    .select(['lastActivityAt', 'heartbeatAt', 'heartbeat', 'journal.createdAt as journalSince'])
    .select([
      sql<string | null>`heartbeat->>'journal'`.as('heartbeatJournal'),
      /* Of which something has arrived, the latest first. */
      sql<string[]>`array(
        select known.name from journal known where known.device_id = device.id order by created_at desc limit 5
      )`.as('journals'),
    ])
    .where('serialKey', '=', nameKey(serial))
    .executeTakeFirst();
}

/** A stored crossing. */
export type TracedCrossing = NonNullable<Awaited<ReturnType<typeof tracedCrossing>>>;

/** Undefined if no such crossing is stored. `db` must be a snapshot. */
export async function tracedCrossing(db: Db, { deviceId, journal, sequence }: CrossingName) {
  const row = await db
    .with('traced', (cte) =>
      cte
        .selectFrom('journal')
        .innerJoin('crossing', 'crossing.journalId', 'journal.id')
        .selectAll('crossing')
        .select([
          sql<number>`quarter_of(crossing.at)`.as('inQuarter'),
          sql<number>`${storeOfCrossing}`.as('countedIn'),
        ])
        .where('journal.deviceId', '=', deviceId)
        .where('journal.name', '=', journal)
        .where('sequence', '=', sequence),
    )
    .selectFrom('traced')
    .innerJoin('store', 'store.id', 'countedIn')
    .innerJoin('company', 'company.id', 'store.companyId')
    .leftJoin('quarter', (join) =>
      join
        .onRef('quarter.storeId', '=', 'countedIn')
        .onRef('quarter.quarter', '=', 'inQuarter')
        .onRef('quarter.deviceId', '=', 'traced.deviceId'),
    )
    .select(['traced.at', 'uncertaintyMs as uncertainty', 'direction', 'transaction', 'store.id', 'sid'])
    .$narrowType<{ direction: Direction }>()
    .select(['store.name', 'timeZone', 'dayStartsAt', 'entries', 'exits'])
    .select(({ selectFrom }) => [
      sql<number | null>`case when traced.store_id < 0 then -traced.store_id end`.as('voidId'),
      sql<number | null>`nullif(kept_from(company), '-infinity')`.as('removedBefore'),
      selectFrom('mark')
        .select(({ fn }) => fn.min('writtenAt').as('since'))
        .whereRef('mark.storeId', '=', 'countedIn')
        .whereRef('mark.quarter', '=', 'inQuarter')
        .as('pendingSince'),
    ])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { pendingSince, entries, exits, ...others } = row;
  const { id, sid, name, timeZone, dayStartsAt, removedBefore, transaction, ...crossing } = others;
  return {
    ...crossing,
    /* The transaction that stored it, or has last moved, voided or restored it. */
    transaction: String(transaction),
    /* Where it counts, or would count if it were not voided; crossings before `removedBefore` are removed. */
    store: { id, sid, name, timeZone, dayStartsAt, removedBefore },
    /* Its quarter hour contains it if no mark of it is pending. */
    projection: { pendingSince, entries: entries ?? 0, exits: exits ?? 0 },
  };
}

/* What the database has about a crossing that is not stored, or was rejected before it was stored. */

/** A sequence that is accounted for without a stored crossing, or missing; `since` is null of a rejected one. */
export interface TracedGap {
  readonly state: 'rejected' | 'lost' | 'missing';
  readonly since: number | null;
}

/** What is recorded about a sequence that is not stored. */
export async function tracedGaps(
  db: Db,
  { deviceId, journal, sequence }: CrossingName,
): Promise<TracedGap[]> {
  const { rows } = await sql<TracedGap>`
    with named as (
      select *, ${sequence}::bigint as sequence from journal where device_id = ${deviceId} and name = ${journal}
    )
    select case when lost @> sequence then 'lost' else 'rejected' end as state,
      case when lost @> sequence then lost_at end as since
    from named where accounted @> sequence
    union all
    select 'missing', missing_since from named where missing @> sequence
    order by since`.execute(db);
  return rows;
}

/**
 * Rejected messages of a device whose payload contains the name of a journal, after the one with the id `after`, oldest
 * first: as many as may be in memory.
 */
export async function tracedRejections(db: Db, { deviceId, journal }: CrossingName, after: number) {
  return await db
    .selectFrom('rejectedMessage')
    .select(['id', 'receivedAt', 'reason', 'payload'])
    .where('deviceId', '=', deviceId)
    .where('id', '>', after)
    .where(sql<boolean>`position(convert_to(${journal}, 'UTF8') in payload) > 0`)
    .orderBy('id')
    .limit(100)
    .execute();
}
