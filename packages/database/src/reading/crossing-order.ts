import { compareCodePoints, type Direction } from '@visitor-counter/domain/crossing';

/** A crossing as it is read: `at` in epoch ms. */
export interface CrossingRow {
  readonly at: number;
  readonly device_id: number;
  readonly journal_id: number;
  readonly sequence: string;
  readonly direction: Direction;
}

/** Gives the names of journals by id. */
export type JournalNames = (ids: readonly number[]) => Promise<ReadonlyMap<number, string>>;

/**
 * Puts batches that are sorted by (at, device, journal id, sequence), as the index has them, into the order
 * in which crossings act, (at, device, journal name, sequence).
 *
 * The two differ only where one device has crossings of two journals at one millisecond, which takes a unit
 * that lost its disk. So the names are asked for those alone, and a batch is held back by no more than the
 * run of equal (at, device) at its end.
 */
export async function* inOrderOfEffect(
  batches: AsyncIterable<readonly CrossingRow[]>,
  journalNames: JournalNames,
): AsyncGenerator<readonly CrossingRow[]> {
  let held: readonly CrossingRow[] = [];
  for await (const batch of batches) {
    const rows = held.length === 0 ? batch : [...held, ...batch];
    const end = startOfLastRun(rows);
    held = rows.slice(end);
    yield await orderOfEffect(rows.slice(0, end), journalNames);
  }
  if (held.length > 0) yield await orderOfEffect(held, journalNames);
}

function startOfLastRun(rows: readonly CrossingRow[]): number {
  let start = rows.length - 1;
  while (start > 0 && sameMoment(rows[start - 1], rows[start])) start -= 1;
  return Math.max(0, start);
}

/** The same for rows that are all there, and complete at both ends. */
export async function orderOfEffect(
  rows: readonly CrossingRow[],
  journalNames: JournalNames,
): Promise<readonly CrossingRow[]> {
  const doubtful = rows.filter((row, index) => index > 0 && isDoubtful(rows[index - 1], row));
  if (doubtful.length === 0) return rows;
  const names = await journalNames([...new Set(rows.map((row) => row.journal_id))]);
  return rows.toSorted((a, b) => compareRows(a, b, names));
}

function isDoubtful(before: CrossingRow | undefined, row: CrossingRow): boolean {
  return sameMoment(before, row) && before?.journal_id !== row.journal_id;
}

function sameMoment(a: CrossingRow | undefined, b: CrossingRow | undefined): boolean {
  return a?.at === b?.at && a?.device_id === b?.device_id;
}

function compareRows(a: CrossingRow, b: CrossingRow, names: ReadonlyMap<number, string>): number {
  return (
    a.at - b.at ||
    a.device_id - b.device_id ||
    compareCodePoints(names.get(a.journal_id) ?? '', names.get(b.journal_id) ?? '') ||
    Number(a.sequence) - Number(b.sequence)
  );
}
