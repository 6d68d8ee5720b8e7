import {
  type BusinessCalendar,
  businessDays,
  onceForEachCalendar,
} from '@visitor-counter/domain/business-day';
import { type Kysely, type RawBuilder, sql } from 'kysely';
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
export const perMinute = sql`crossing.store_id, store.sid as store, store.time_zone, store.day_starts_at,
  floor(extract(epoch from crossing.at) / 60)::integer as minute`;

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
    select ${perMinute}, count(*) as crossings, count(*) filter (where direction = 1) as entries
    from crossing join store on store.id = crossing.store_id
    where ${countingIn(range)}
    group by crossing.store_id, store.id, minute`.execute(db);
  return byDay(rows);
}

/** False crossings that an operator removed, and who restored them, if they were restored. */
export type ListedVoid = Awaited<ReturnType<typeof listVoids>>[number];

/** The voids of a device, or of all, oldest first. */
export async function listVoids(db: Kysely<DB>, deviceId?: number) {
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
