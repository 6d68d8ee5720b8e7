import { sql } from 'kysely';
import { numberArray } from '../sql/arrays.ts';
import type { Reader } from '../sql/snapshot.ts';
import { quarterOf } from './quarter.ts';

/** A store's present, and which transaction wrote it last. */
export interface QuarterVersion {
  readonly storeId: number;
  /** Text that differs whenever the store's occupancy may. */
  readonly version: string;
}

/**
 * What tells whether the occupancy of stores has changed through crossings and corrections of the last quarter
 * hour. Two rows of an index for each store, however many people walk.
 */
export async function quarterVersions(
  db: Reader,
  storeIds: readonly number[],
  now: number,
): Promise<QuarterVersion[]> {
  const { rows } = await sql<QuarterVersion>`
    select store_id as "storeId", string_agg(quarter || ':' || xmin::text, ',' order by quarter) as version
    from occupancy_quarter
    where store_id = any(${numberArray(storeIds)}::integer[]) and quarter >= ${quarterOf(now) - 1}::integer
    group by store_id`.execute(db);
  return rows;
}
