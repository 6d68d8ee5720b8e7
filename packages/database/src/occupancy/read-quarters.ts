import type { Folded } from '@visitor-counter/domain/occupancy';
import { type Kysely, sql } from 'kysely';
import { numberArray, numberColumns } from '../sql/arrays.ts';
import { instantIn } from '../sql/instant.ts';
import { type Connection, runStatement } from '../sql/run-statement.ts';
import { type Quarter, quarterOf } from './quarter.ts';

/** Encodes a sum of -Infinity. */
const noSum = -2_147_483_648;

/** The bytes of a row. Few values, since each costs the database; only a sum can be negative. */
const stateBytes = `
  int8send(store_id::bigint << 32 | quarter) || int8send(coalesce(sum, ${noSum})::bigint << 32 | floor)
    || int8send(peak_sum::bigint << 32 | peak_floor)
    || timestamptz_send(latest_at)`;

/** The quarters of a store from `first` to the one before `next`. */
export interface QuarterRange {
  readonly storeId: number;
  readonly first: number;
  readonly next: number;
}

/** The quarters (`occupancy_quarter`) of ranges that do not overlap, by store and time. */
export function readQuarters(
  connection: Connection,
  ranges: readonly QuarterRange[],
): Promise<QuarterStates> {
  return readComposedQuarters(
    connection,
    ranges.map((range) => ({ ...range, day: null })),
  );
}

/**
 * The same in fewer rows: if the projection has composed the business day whose first quarter is `day`, the composed quarters
 * are one row, under the number of the last of them. The last quarter of a range is never part of that row: a part of it may
 * be needed.
 */
export async function readComposedQuarters(
  connection: Connection,
  ranges: readonly (QuarterRange & { readonly day: number | null })[],
): Promise<QuarterStates> {
  const values = numberColumns(ranges, 'storeId', 'first', 'next', 'day');
  const [row] = await runStatement<{ states: Buffer | null }>(connection, 'read-quarters', statement, values);
  return new QuarterStates(row?.states ?? undefined);
}

/*
 * One value: a row for each of thousands of quarters costs the reader far more than the database, and text more than
 * bytes. `offset 0` makes the database look up each store's rows by their key, whatever it estimates.
 */
const statement = `
  with wanted as (
    select id, first, next, composed.*
    from unnest($1::integer[], $2::integer[], $3::integer[], $4::integer[]) as wanted (id, first, next, day)
    left join lateral (
      select * from store_day where store_id = id and first_quarter = day and next_quarter < next offset 0
    ) composed on true
  )
  select string_agg(${stateBytes}, '' order by store_id, quarter) as states
  from (
    select store_id, next_quarter - 1 as quarter, sum, floor, peak_sum, peak_floor, latest_at from wanted where latest_at is not null
    union all
    select quarter.* from wanted cross join lateral (
      select store_id, quarter, sum, floor, peak_sum, peak_floor, latest_at from occupancy_quarter
      where store_id = id and quarter >= coalesce(next_quarter, first) and quarter < next and latest_at is not null
      offset 0
    ) quarter
  ) found`;

/** Byte offsets in a row: the store and the number of the quarter, the stretch, the latest instant. */
const [quarterAt, sumAt, floorAt, peakSumAt, peakFloorAt, latestAt, rowLength] = [4, 8, 12, 16, 20, 24, 32];

/**
 * States of quarters that have a crossing or a correction, read directly from the bytes of the answer: there are
 * thousands.
 */
export class QuarterStates {
  readonly length: number;
  readonly #view: DataView;

  /** `bytes`: rows of `stateBytes`, concatenated. */
  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.length = bytes.byteLength / rowLength;
  }

  storeId(index: number): number {
    return this.#view.getInt32(index * rowLength);
  }

  quarter(index: number): number {
    return this.#view.getInt32(index * rowLength + quarterAt);
  }

  folded(index: number): Folded {
    const row = index * rowLength;
    const sum = this.#view.getInt32(row + sumAt);
    const stretch = {
      sum: sum === noSum ? Number.NEGATIVE_INFINITY : sum,
      floor: this.#view.getInt32(row + floorAt),
      peakSum: this.#view.getInt32(row + peakSumAt),
      peakFloor: this.#view.getInt32(row + peakFloorAt),
    };
    return { stretch, latest: this.latest(index) };
  }

  /** Epoch ms. */
  latest(index: number): number {
    return instantIn(this.#view, index * rowLength + latestAt);
  }
}

/** A version of a store's present occupancy. */
interface QuarterVersion {
  readonly storeId: number;
  /** Text that changes whenever the store's occupancy may have changed. */
  readonly version: string;
}

/**
 * Versions of stores; each changes when crossings or corrections of the present or the previous quarter hour change the
 * occupancy. Reads two index rows for each store, however many crossings there are.
 */
export async function quarterVersions(
  db: Kysely<unknown>,
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

/** The first quarter of each store that has a crossing or a correction, by the id of the store. */
export async function firstQuarters(
  connection: Connection,
  storeIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await runStatement<Quarter>(connection, 'first-quarters', firstStatement, [
    numberArray(storeIds),
  ]);
  return new Map(rows.map(({ storeId, quarter }) => [storeId, quarter]));
}

const firstStatement = `
  select id as "storeId", quarter from unnest($1::integer[]) as wanted (id)
  cross join lateral (
    select quarter from occupancy_quarter where store_id = id and latest_at is not null order by quarter limit 1
  ) first`;
