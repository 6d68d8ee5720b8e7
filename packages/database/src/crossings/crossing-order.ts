import { compareCodePoints, type Direction } from '@visitor-counter/domain/crossing';
import { numberArray } from '../sql/arrays.ts';
import { type Connection, runStatement } from '../sql/run-statement.ts';

/** A crossing as it is read: `at` in epoch ms. */
export interface ReadCrossing {
  readonly at: number;
  readonly device_id: number;
  readonly journal_id: number;
  readonly direction: Direction;
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

interface Journal {
  readonly id: number;
  readonly device_id: number;
  readonly name: string;
}

/** Returns the journals with these ids. */
type Journals = (ids: readonly number[]) => Promise<readonly Journal[]>;

/** Reads journals by id. */
export function readJournals(connection: Connection, ids: readonly number[]): Promise<Journal[]> {
  return runStatement<Journal>(connection, 'read-journals', journalsStatement, [numberArray(ids)]);
}

const journalsStatement = 'select id, device_id, name from journal where id = any($1::integer[])';

/**
 * Sorts rows from the order of the index, (at, device, journal id, sequence), into the order in which crossings take
 * effect, (at, device, journal name, sequence). `rows` must contain all crossings of their first and last instants.
 *
 * The orders differ only if one device has crossings of two journals in one millisecond, which needs a unit that lost
 * its disk. Only then are the names read.
 */
export async function orderOfEffect(
  rows: readonly ReadCrossing[],
  journals: Journals,
): Promise<readonly ReadCrossing[]> {
  if (!rows.some((row, index) => isDoubtful(rows[index - 1], row))) return rows;
  const ids = new Set(rows.map((row) => row.journal_id));
  return sorted(rows, await journals([...ids]));
}

function isDoubtful(before: ReadCrossing | undefined, row: ReadCrossing): boolean {
  return before?.at === row.at && before.device_id === row.device_id && before.journal_id !== row.journal_id;
}

/** Sorting is stable, so the crossings of a journal remain in the order of their sequences. */
function sorted(rows: readonly ReadCrossing[], journals: readonly Journal[]): readonly ReadCrossing[] {
  const names = new Map(journals.map(({ id, name }) => [id, name]));
  const nameOf = ({ journal_id }: ReadCrossing) => names.get(journal_id) ?? '';
  return rows.toSorted(
    (a, b) => a.at - b.at || a.device_id - b.device_id || compareCodePoints(nameOf(a), nameOf(b)),
  );
}

/** Sorts columns in place into the order in which crossings take effect. */
export async function columnsInOrderOfEffect(columns: CrossingColumns, journals: Journals): Promise<void> {
  if (!hasSharedInstant(columns)) return;
  const ids = new Set(columns.signedJournal.subarray(0, columns.length).map(Math.abs));
  const known = await journals([...ids]);
  const rows = await orderOfEffect(rowsOf(columns, known), async () => known);
  for (const [index, { at, direction, journal_id }] of rows.entries()) {
    columns.at[index] = at;
    columns.signedJournal[index] = direction * journal_id;
  }
}

/** Whether crossings of two journals share a millisecond. */
function hasSharedInstant({ length, at, signedJournal }: CrossingColumns): boolean {
  for (let index = 1; index < length; index += 1) {
    if (at[index] !== at[index - 1]) continue;
    if (Math.abs(signedJournal[index] ?? 0) !== Math.abs(signedJournal[index - 1] ?? 0)) return true;
  }
  return false;
}

function rowsOf(
  { length, at, signedJournal }: CrossingColumns,
  journals: readonly Journal[],
): ReadCrossing[] {
  const deviceOf = new Map(journals.map(({ id, device_id }) => [id, device_id]));
  return Array.from({ length }, (_, index) => {
    const signed = signedJournal[index] ?? 0;
    const journalId = Math.abs(signed);
    return {
      at: at[index] ?? 0,
      device_id: deviceOf.get(journalId) ?? 0,
      journal_id: journalId,
      direction: signed > 0 ? 1 : -1,
    };
  });
}
