import { sql } from 'kysely';
import { numberArray } from '../sql/arrays.ts';
import type { Reader } from '../sql/snapshot.ts';
import { quarterOf } from './quarter.ts';

/** A version of a store's present occupancy. */
export interface QuarterVersion {
  readonly storeId: number;
  /** Text that changes whenever the store's occupancy may have changed. */
  readonly version: string;
}

/**
 * Versions of stores; each changes when crossings or corrections of the present or the previous quarter hour change the
 * occupancy. Reads two index rows for each store, however many crossings there are.
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
