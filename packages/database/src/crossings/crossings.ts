import { sql } from 'kysely';
import { timestamp } from '../sql/instant.ts';
import type { Reader, Snapshot } from '../sql/snapshot.ts';
import { type CrossingColumns, emptyColumns, readColumns } from './crossing-columns.ts';
import { columnsInOrderOfEffect, type Journal } from './crossing-order.ts';

/** A store's crossings with instants in [`from`, `to`) (epoch ms), of all its devices. */
export interface CrossingRange {
  readonly storeId: number;
  readonly from: number;
  readonly to: number;
}

/** Some crossings of a range. */
export interface CrossingBatch<Range> {
  readonly range: Range;
  readonly crossings: Readonly<CrossingColumns>;
}

/**
 * How many rows a statement reads: few at first, so that an answer begins early; then enough to hide the round trip,
 * and few enough to keep memory constant and every statement short.
 */
const firstRows = 2_000;
const mostRows = 16_000;

/**
 * The crossings of ranges, one range after another, each in the order in which they take effect on the occupancy of
 * its store. Memory does not depend on how many there are: at most one batch is read ahead of the one in use.
 *
 * The columns are valid until the next batch is requested. A batch never ends between two crossings of one
 * millisecond.
 */
export async function* readCrossings<Range extends CrossingRange>(
  snapshot: Snapshot,
  ranges: readonly Range[],
): AsyncGenerator<CrossingBatch<Range>, void> {
  const columns = emptyColumns();
  let page = begin(snapshot, ranges, 0, firstRows);
  while (page !== undefined) {
    const { range, limit } = page;
    readColumns(await page.bytes, columns);
    const more = columns.length === limit;
    if (more) columns.length = startOfLastInstant(columns);
    await columnsInOrderOfEffect(columns, (ids) => readJournals(snapshot.db, ids));
    page = more
      ? continuePage(snapshot, page, columns)
      : begin(snapshot, ranges, page.index + 1, next(limit));
    yield { range, crossings: columns };
  }
}

/** A running statement. */
interface Page<Range> {
  readonly index: number;
  readonly range: Range;
  readonly limit: number;
  readonly bytes: Promise<Buffer>;
}

function begin<Range extends CrossingRange>(
  snapshot: Snapshot,
  ranges: readonly Range[],
  index: number,
  limit: number,
): Page<Range> | undefined {
  const range = ranges[index];
  return range && startPage(snapshot, { index, range, limit, from: range.from });
}

/**
 * Continues at the first incomplete instant, with a larger limit if one instant has more crossings than the limit.
 */
function continuePage<Range extends CrossingRange>(
  snapshot: Snapshot,
  { index, range, limit }: Page<Range>,
  { length, at }: CrossingColumns,
): Page<Range> {
  const from = at[length] ?? range.from;
  return startPage(snapshot, { index, range, from, limit: length === 0 ? limit * 4 : next(limit) });
}

function next(limit: number): number {
  return Math.min(limit * 4, mostRows);
}

function startOfLastInstant({ length, at }: CrossingColumns): number {
  let start = length - 1;
  while (start > 0 && at[start - 1] === at[start]) start -= 1;
  return start;
}

interface PageQuery<Range> {
  readonly index: number;
  readonly range: Range;
  readonly limit: number;
  readonly from: number;
}

/** Only two columns: each costs the database as much as finding the row. */
function startPage<Range extends CrossingRange>(snapshot: Snapshot, query: PageQuery<Range>): Page<Range> {
  const { index, range, limit, from } = query;
  const bytes = snapshot.copy(`
    select array_agg(at), array_agg(direction * journal_id)
    from (
      select at, direction, journal_id from crossing
      where store_id = ${range.storeId} and at >= '${timestamp(from)}' and at < '${timestamp(range.to)}'
      order by at, device_id, journal_id, sequence
      limit ${limit}
    ) in_order`);
  /* Not awaited if the caller stops reading. */
  bytes.catch(() => {});
  return { index, range, limit, bytes };
}

async function readJournals(db: Reader, ids: readonly number[]): Promise<Journal[]> {
  return await db
    .selectFrom('journal')
    .select(['id', 'device_id', 'name'])
    .where('id', '=', sql<number>`any(${ids}::integer[])`)
    .execute();
}

/** All journals of a device. */
export async function journalsOfDevice(db: Reader, deviceId: number): Promise<ReadonlySet<number>> {
  const rows = await db.selectFrom('journal').select('id').where('device_id', '=', deviceId).execute();
  return new Set(rows.map(({ id }) => id));
}
