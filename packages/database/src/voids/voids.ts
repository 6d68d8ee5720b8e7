import { type Kysely, type RawBuilder, sql } from 'kysely';
import { timestamp } from '../sql/instant.ts';
import type { Schema } from '../tables/schema.ts';

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

/** The business day of a crossing in its store, for statements that have both. */
export const businessDay = sql<string>`
  to_char((crossing.at at time zone store.time_zone) - store.day_starts_at::interval, 'YYYY-MM-DD')`;

/** What voiding a range would remove, by store and day. */
export async function previewVoid(db: Kysely<Schema>, range: VoidRange): Promise<DayCounts[]> {
  const { rows } = await sql<DayCounts>`
    select store.sid as store, ${businessDay} as day,
      (count(*) filter (where direction = 1))::integer as "in",
      (count(*) filter (where direction = -1))::integer as "out"
    from crossing join store on store.id = crossing.store_id
    where ${countingIn(range)}
    group by 1, 2 order by 1, 2`.execute(db);
  return rows;
}

/** False crossings that an operator removed, and who restored them, if they were restored. */
export interface ListedVoid {
  readonly id: number;
  readonly serial: string;
  readonly from: Date;
  readonly until: Date;
  readonly reason: string;
  readonly by: string;
  readonly at: Date;
  readonly crossings: number;
  readonly counts: readonly DayCounts[];
  readonly restored: { readonly by: string; readonly at: Date } | null;
}

/** The voids of a device, or of all, oldest first. */
export async function listVoids(db: Kysely<Schema>, deviceId?: number): Promise<ListedVoid[]> {
  let query = db
    .selectFrom('crossing_void as void')
    .innerJoin('device', 'device.id', 'void.device_id')
    .leftJoin('crossing_void_restored as restored', 'restored.void_id', 'void.id')
    .select(['void.id', 'device.serial', 'void.from_at', 'void.until_at', 'void.reason', 'void.entered_by'])
    .select(['void.entered_at', 'void.crossings', 'void.counts'])
    .select(['restored.entered_by as restored_by', 'restored.entered_at as restored_at'])
    .orderBy('void.id');
  if (deviceId !== undefined) query = query.where('void.device_id', '=', deviceId);
  return (await query.execute()).map((row) => ({
    ...{ id: row.id, serial: row.serial, from: row.from_at, until: row.until_at, reason: row.reason },
    ...{ by: row.entered_by, at: row.entered_at, crossings: row.crossings, counts: countsOf(row.counts) },
    restored:
      row.restored_by === null || row.restored_at === null
        ? null
        : { by: row.restored_by, at: row.restored_at },
  }));
}

/** As `voidCrossings` wrote them. */
function countsOf(stored: unknown): DayCounts[] {
  return Array.isArray(stored) ? stored : [];
}
