import { compareCodePoints, type Direction } from '@visitor-counter/domain/crossing';
import type { CrossingColumns } from './crossings.ts';

/** A crossing as it is read: `at` in epoch ms. */
export interface ReadCrossing {
  readonly at: number;
  readonly device_id: number;
  readonly journal_id: number;
  readonly sequence: string;
  readonly direction: Direction;
}

/** Reads the names of journals by id. */
type JournalNames = (ids: readonly number[]) => Promise<ReadonlyMap<number, string>>;

/**
 * Sorts rows from the order of the index, (at, device, journal id, sequence), into the order in which crossings take
 * effect, (at, device, journal name, sequence). The first and the last instant must be complete.
 *
 * The orders differ only if one device has crossings of two journals in one millisecond, which needs a unit that lost
 * its disk. Only then are the names read.
 */
export async function orderOfEffect(
  rows: readonly ReadCrossing[],
  journalNames: JournalNames,
): Promise<readonly ReadCrossing[]> {
  const doubtful = rows.filter((row, index) => index > 0 && isDoubtful(rows[index - 1], row));
  if (doubtful.length === 0) return rows;
  const names = await journalNames([...new Set(rows.map((row) => row.journal_id))]);
  return rows.toSorted((a, b) => compareRows(a, b, names));
}

function isDoubtful(before: ReadCrossing | undefined, row: ReadCrossing): boolean {
  return before?.at === row.at && before.device_id === row.device_id && before.journal_id !== row.journal_id;
}

export interface Journal {
  readonly id: number;
  readonly device_id: number;
  readonly name: string;
}

/** Reads journals by id. */
export type Journals = (ids: readonly number[]) => Promise<readonly Journal[]>;

/** Sorts columns in place into the order in which crossings take effect. */
export async function columnsInOrderOfEffect(columns: CrossingColumns, journals: Journals): Promise<void> {
  if (!hasSharedInstant(columns)) return;
  const ids = new Set(columns.signedJournal.subarray(0, columns.length).map(Math.abs));
  const known = new Map((await journals([...ids])).map((journal) => [journal.id, journal]));
  const names = new Map([...known].map(([id, { name }]) => [id, name]));
  const rows = await orderOfEffect(rowsOf(columns, known), async () => names);
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

/** The crossings of a journal are in the order of their sequences, so the index can replace the sequence. */
function rowsOf(
  { length, at, signedJournal }: CrossingColumns,
  journals: ReadonlyMap<number, Journal>,
): ReadCrossing[] {
  return Array.from({ length }, (_, index) => {
    const signed = signedJournal[index] ?? 0;
    const journalId = Math.abs(signed);
    return {
      at: at[index] ?? 0,
      device_id: journals.get(journalId)?.device_id ?? 0,
      journal_id: journalId,
      sequence: String(index),
      direction: signed > 0 ? 1 : -1,
    };
  });
}

function compareRows(a: ReadCrossing, b: ReadCrossing, names: ReadonlyMap<number, string>): number {
  return (
    a.at - b.at ||
    a.device_id - b.device_id ||
    compareCodePoints(names.get(a.journal_id) ?? '', names.get(b.journal_id) ?? '') ||
    Number(a.sequence) - Number(b.sequence)
  );
}
