import type { Kysely } from 'kysely';
import type { Schema } from '../tables/schema.ts';
import type { DayCounts } from './void-range.ts';

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
