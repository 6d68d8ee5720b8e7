import { type Db, runStatement, timestamp } from '../sql/query-builder.ts';
import type { Snapshot } from '../sql/snapshot.ts';

/** A time of a store: [`from`, `to`) in epoch ms. */
export interface StoreRange {
  readonly storeId: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Crossings in columns: the i-th has the i-th entry of each, for every i below `length`. A million rows do not need a
 * million objects.
 */
export interface CrossingColumns {
  length: number;
  /** Epoch ms. */
  at: Float64Array;
  /** The id of the journal (1 or more) for an entry, and its negative for an exit. */
  signedJournal: Int32Array;
}

/** Some crossings of a range. */
interface CrossingBatch<Range> {
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
export async function* readCrossings<Range extends StoreRange>(
  snapshot: Snapshot,
  ranges: readonly Range[],
): AsyncGenerator<CrossingBatch<Range>, void> {
  const columns = emptyColumns();
  let page = begin(snapshot, ranges, 0, firstRows);
  while (page !== undefined) {
    const { range, limit } = page;
    readColumns(await page.records, columns);
    const more = columns.length === limit;
    if (more) columns.length = startOfLastInstant(columns);
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
  readonly records: Promise<Buffer>;
}

function begin<Range extends StoreRange>(
  snapshot: Snapshot,
  ranges: readonly Range[],
  index: number,
  limit: number,
): Page<Range> | undefined {
  const range = ranges[index];
  return range && startPage(snapshot, { index, range, limit }, range.from);
}

/**
 * Continues at the first incomplete instant, with a larger limit if one instant has more crossings than the limit.
 */
function continuePage<Range extends StoreRange>(
  snapshot: Snapshot,
  { index, range, limit }: Page<Range>,
  { length, at }: CrossingColumns,
): Page<Range> {
  const from = at[length] ?? range.from;
  return startPage(snapshot, { index, range, limit: length === 0 ? limit * 4 : next(limit) }, from);
}

function next(limit: number): number {
  return Math.min(limit * 4, mostRows);
}

function startOfLastInstant({ length, at }: CrossingColumns): number {
  let start = length - 1;
  while (start > 0 && at[start - 1] === at[start]) start -= 1;
  return start;
}

/**
 * Reads from an instant (epoch ms) on. The answer is one value, with `recordBytes` for each row: separate values would cost the
 * database as much as finding the rows.
 */
function startPage<Range extends StoreRange>(
  snapshot: Snapshot,
  page: Omit<Page<Range>, 'records'>,
  from: number,
): Page<Range> {
  const { range, limit } = page;
  const values = [range.storeId, timestamp(from), timestamp(range.to), limit];
  const rows = runStatement<{ records: Buffer | null }>(snapshot.db, statement, values);
  const records = rows.then(([row]) => row?.records ?? noRecords);
  /* Not awaited if the caller stops reading. */
  records.catch(() => {});
  return { ...page, records };
}

const statement = `
  select string_agg(timestamptz_send(at) || int4send(direction * journal_id), '') as records
  from (
    select at, direction, journal_id from crossing
    where store_id = $1 and at >= $2 and at < $3
    order by at, device_id, journal_id, sequence
    limit $4
  ) in_order`;

const noRecords = Buffer.alloc(0);

/** All journals of a device. */
export async function journalsOfDevice(db: Db, deviceId: number): Promise<ReadonlySet<number>> {
  const journals = await db.selectFrom('journal').select('id').where('deviceId', '=', deviceId).execute();
  return new Set(journals.map(({ id }) => id));
}

function emptyColumns(): CrossingColumns {
  return { length: 0, at: new Float64Array(), signedJournal: new Int32Array() };
}

/** A timestamptz and an integer. */
const recordBytes = 8 + 4;

/** Reads the records of crossings into columns, which grow if necessary. */
function readColumns(records: Buffer, columns: CrossingColumns): void {
  const view = new DataView(records.buffer, records.byteOffset, records.byteLength);
  const length = records.length / recordBytes;
  if (columns.at.length < length) {
    columns.at = new Float64Array(length);
    columns.signedJournal = new Int32Array(length);
  }
  columns.length = length;
  for (let index = 0, offset = 0; index < length; index += 1, offset += recordBytes) {
    columns.at[index] = instantIn(view, offset);
    columns.signedJournal[index] = view.getInt32(offset + 8);
  }
}

/** 2000-01-01, where PostgreSQL counts from, in epoch ms. */
const postgresEpoch = 946_684_800_000;
const twoTo32 = 4_294_967_296;

/** The instant (epoch ms) of a timestamptz in PostgreSQL's binary form; `infinity` is later than all others. */
function instantIn(view: DataView, offset: number): number {
  const microseconds = view.getInt32(offset) * twoTo32 + view.getUint32(offset + 4);
  return Math.floor(microseconds / 1_000) + postgresEpoch;
}
