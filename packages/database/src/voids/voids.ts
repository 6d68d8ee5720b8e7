import {
  type BusinessCalendar,
  businessDays,
  onceForEachCalendar,
} from '@visitor-counter/domain/business-day';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { allOf } from '../sql/conditions.ts';
import { timestamp } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';

/** The crossings of a device with instants in [`from`, `until`) (epoch ms). */
export interface VoidRange {
  readonly deviceId: number;
  readonly from: number;
  readonly until: number;
}

/** Crossings of a store on one of its business days. */
export interface DayCounts {
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
export function countingIn({ deviceId, from, until }: VoidRange): RawBuilder<boolean> {
  return sql<boolean>`crossing.store_id = any(array(
      select store_id from device_assignment where device_id = ${deviceId}
    )) and crossing.device_id = ${deviceId}
    and crossing.at >= ${timestamp(from)}::timestamptz and crossing.at < ${timestamp(until)}::timestamptz`;
}

/** The crossings of a store in one minute, with what decides their business day: both of its ends are whole minutes. */
export interface MinuteCounts extends BusinessCalendar {
  readonly storeId: number;
  readonly store: string;
  /** Since 1970. */
  readonly minute: number;
  readonly crossings: number;
  readonly entries: number;
}

/** The columns by which statements that have a crossing and its store group their rows. */
export const perMinute = sql`crossing.store_id as "storeId", store.sid as store, store.time_zone as "timeZone",
  store.day_starts_at as "dayStartsAt", floor(extract(epoch from crossing.at) / 60)::integer as minute`;

/**
 * Adds crossings by store and business day. PostgreSQL could find the day, but by its own rules of time zones, which
 * may be of another version than those that all other numbers use.
 */
export function byDay(minutes: readonly MinuteCounts[]): DayCounts[] {
  const daysOf = onceForEachCalendar(businessDays);
  const groups = Map.groupBy(minutes, (one) => `${one.store} ${daysOf(one)(one.minute * 60_000).date}`);
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, group]) => {
      const [first] = group;
      if (first === undefined) return [];
      const entries = group.reduce((sum, one) => sum + one.entries, 0);
      const crossings = group.reduce((sum, one) => sum + one.crossings, 0);
      const day = key.slice(first.store.length + 1);
      return [{ store: first.store, day, in: entries, out: crossings - entries }];
    });
}

/** What voiding a range would remove, by store and day. */
export async function previewVoid(db: Kysely<DB>, range: VoidRange): Promise<DayCounts[]> {
  const { rows } = await sql<MinuteCounts>`
    select ${perMinute}, count(*)::integer as crossings,
      (count(*) filter (where direction = 1))::integer as entries
    from crossing join store on store.id = crossing.store_id
    where ${countingIn(range)}
    group by "storeId", store.id, minute`.execute(db);
  return byDay(rows);
}

/** False crossings that an operator removed, and who restored them, if they were restored. */
export interface ListedVoid {
  readonly id: number;
  readonly serial: string;
  readonly from: number;
  readonly until: number;
  readonly reason: string;
  readonly by: string;
  readonly at: number;
  readonly crossings: number;
  readonly counts: readonly DayCounts[];
  readonly restored: { readonly by: string; readonly at: number } | null;
}

/** The voids of a device, or of all, oldest first. */
export async function listVoids(db: Kysely<DB>, deviceId?: number): Promise<ListedVoid[]> {
  const { rows } = await sql<
    Omit<ListedVoid, 'restored'> & { restoredBy: string | null; restoredAt: number | null }
  >`
    select void.id, device.serial, from_at as "from", until_at as until, reason, void.entered_by as by,
      void.entered_at as at, void.crossings, void.counts,
      restored.entered_by as "restoredBy", restored.entered_at as "restoredAt"
    from crossing_void void
    join device on device.id = void.device_id
    left join crossing_void_restored restored on restored.void_id = void.id
    where ${allOf(deviceId !== undefined && sql`void.device_id = ${deviceId}`)}
    order by void.id`.execute(db);
  return rows.map(({ restoredBy: by, restoredAt: at, ...row }) => ({
    ...row,
    restored: by === null || at === null ? null : { by, at },
  }));
}
