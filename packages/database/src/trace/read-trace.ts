import type { BusinessCalendar } from '@visitor-counter/domain/business-day';
import type { Direction } from '@visitor-counter/domain/crossing';
import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, sql } from 'kysely';
import { storeOfCrossing } from '../crossings/arrivals.ts';
import { heartbeatText } from '../sql/heartbeat-fields.ts';
import { epochMs } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';
import { groups as groupsOfStore } from '../stores/stores.ts';

/** The name of a crossing: the journal of a device, and its number in it. */
export interface CrossingName {
  readonly deviceId: number;
  readonly journal: string;
  readonly sequence: number;
}

/** The device of a crossing. Instants are those of the server's clock. */
export interface TracedDevice {
  readonly id: number;
  readonly serial: string;
  readonly name: string;
  readonly company: string;
  readonly registeredAt: number;
  readonly retiredAt: number | null;
  readonly lastActivityAt: number | null;
  /** When the last heartbeat arrived, its content, and the journal that it names. */
  readonly heartbeatAt: number | null;
  readonly heartbeat: unknown;
  readonly heartbeatJournal: string | null;
  /** When the first crossing of this journal arrived; null if none has. */
  readonly journalSince: number | null;
  /** The journals of the device of which something has arrived, at most 5, the latest first. */
  readonly journals: readonly string[];
}

/** The device with a serial number, in any letter case. */
export async function tracedDevice(
  db: Kysely<DB>,
  serial: string,
  journal: string,
): Promise<TracedDevice | undefined> {
  const { rows } = await sql<TracedDevice>`
    select device.id, serial, device.name, company.name as company, registered_at as "registeredAt",
      retired_at as "retiredAt", last_activity_at as "lastActivityAt", heartbeat_at as "heartbeatAt", heartbeat,
      ${sql.raw(heartbeatText('heartbeat', 'journal'))} as "heartbeatJournal", journal.created_at as "journalSince",
      array(
        select known.name from journal known where known.device_id = device.id order by created_at desc limit 5
      ) as journals
    from device join company on company.id = device.company_id
    left join device_state on device_state.device_id = device.id
    left join journal on journal.device_id = device.id and journal.name = ${journal}
    where serial_key = ${nameKey(serial)}`.execute(db);
  return rows[0];
}

/** A stored crossing. */
export interface TracedCrossing {
  /** Epoch ms, by the unit's clock. */
  readonly at: number;
  /** ms */
  readonly uncertainty: number | null;
  readonly direction: Direction;
  /** The transaction that stored it, or has last moved, voided or restored it. */
  readonly transaction: string;
  /** When the transaction was committed, if the server has `track_commit_timestamp` and still knows. */
  readonly committedAt: number | null;
  /** The id of the void that removed it; null if it counts. */
  readonly voidId: number | null;
  /** Where it counts, or would count if it were not voided. */
  readonly store: TracedStore;
  readonly projection: TracedProjection;
}

interface TracedStore extends BusinessCalendar {
  readonly id: number;
  readonly sid: string;
  readonly name: string;
  readonly groups: readonly string[];
  /** Crossings before this instant were removed because of their age (epoch ms); null if none were. */
  readonly removedBefore: number | null;
}

/** The quarter hour of a crossing in the projection. */
interface TracedProjection {
  /** When the oldest mark of the quarter hour was written; null if there is none: then the projection has the crossing. */
  readonly pendingSince: number | null;
  /** What the device has counted in it. */
  readonly entries: number;
  readonly exits: number;
}

/** Undefined if no such crossing is stored. `db` must be a snapshot. */
export async function tracedCrossing(
  db: Kysely<DB>,
  { deviceId, journal, sequence }: CrossingName,
): Promise<TracedCrossing | undefined> {
  const { rows } = await sql<Row>`
    with traced as (
      select crossing.*, floor(extract(epoch from crossing.at) / 900)::integer as quarter,
        ${storeOfCrossing} as counted_in
      from journal join crossing on crossing.journal_id = journal.id
      where journal.device_id = ${deviceId} and journal.name = ${journal} and sequence = ${sequence}
    )
    select ${epochMs('traced.at')} as at, uncertainty_ms::float8 as uncertainty, direction,
      transaction, case when traced.store_id < 0 then -traced.store_id end as "voidId",
      ${commitTime} as "committedAt",
      store.id as "storeId", sid, store.name, time_zone as "timeZone", day_starts_at as "dayStartsAt",
      ${groupsOfStore},
      ${epochMs("nullif(kept_from(company), '-infinity')")} as "removedBefore",
      (
        select min(written_at) from mark where mark.store_id = counted_in and mark.quarter = traced.quarter
      ) as "pendingSince",
      coalesce(entries, 0) as entries, coalesce(exits, 0) as exits
    from traced join store on store.id = counted_in join company on company.id = store.company_id
    left join quarter on quarter.store_id = counted_in and quarter.quarter = traced.quarter
      and quarter.device_id = traced.device_id`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { pendingSince, entries, exits, ...others } = row;
  const { storeId: id, sid, name, timeZone, dayStartsAt, groups, removedBefore, ...crossing } = others;
  return {
    ...crossing,
    store: { id, sid, name, timeZone, dayStartsAt, groups, removedBefore },
    projection: { pendingSince, entries, exits },
  };
}

interface Row
  extends Omit<TracedCrossing, 'store' | 'projection'>,
    Omit<TracedStore, 'id'>,
    TracedProjection {
  readonly storeId: number;
}

/** Numbers up to restored_through may be of a server that is no more, so its commits have no times here. */
const commitTime = sql.raw(`(
  select case when current_setting('track_commit_timestamp') = 'on' and transaction > restored_through
    and pg_xact_status((transaction - transactions_before)::text::xid8) = 'committed'
    then pg_xact_commit_timestamp((transaction - transactions_before)::text::xid8::xid) end
  from installation
)`);

/**
 * The directions of the crossings of a store at the instant `at` (epoch ms), in the order in which they take effect, up to the
 * named one.
 */
export async function directionsAtInstant(
  db: Kysely<DB>,
  { deviceId, journal, sequence }: CrossingName,
  { at, store }: TracedCrossing,
): Promise<Direction[]> {
  const { rows } = await sql<{ direction: Direction }>`
    select direction from crossing
    where store_id = ${store.id} and at = to_timestamp(${at}::float8 / 1000)
      and (device_id, journal_id, sequence) <= (${deviceId}::integer, (
        select id from journal where device_id = ${deviceId} and name = ${journal}
      ), ${sequence}::bigint)
    order by device_id, journal_id, sequence`.execute(db);
  return rows.map(({ direction }) => direction);
}
