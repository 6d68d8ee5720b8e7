import type { TrueCrossing, UnitTruth } from '../truth/unit-truth.ts';

/** The differences between stored rows and the truth. */
export interface Difference {
  readonly crossings: number;
  /** Missing crossings. */
  readonly lost: number;
  /** Rows beyond the first for a crossing of the truth. */
  readonly doubled: number;
  /** Rows without a crossing of the truth. */
  readonly invented: number;
  /** Rows with a wrong store, journal or sequence. */
  readonly misplaced: number;
}

export interface StoredRow {
  readonly journal: number;
  readonly sequence: number;
  /** Epoch ms. */
  readonly at: number;
  readonly direction: number;
  readonly sid: string;
}

/** Compares a device's rows, in the order of their sequences, with the truth. */
export function compareRows(
  { crossings, assignments }: Pick<UnitTruth, 'crossings' | 'assignments'>,
  rows: readonly StoredRow[],
): Difference {
  const truth = new Map(crossings.map((crossing, index) => [key(crossing), index + 1]));
  const seen = new Set<string>();
  const [first] = rows;
  let [doubled, invented, misplaced] = [0, 0, 0];
  for (const row of rows) {
    const sequence = truth.get(key(row));
    if (sequence === undefined) invented += 1;
    else if (seen.has(key(row))) doubled += 1;
    else if (row.sequence !== sequence || row.journal !== first?.journal) misplaced += 1;
    else if (row.sid !== assignments.storeAt(row.at)) misplaced += 1;
    seen.add(key(row));
  }
  const lost = crossings.filter((crossing) => !seen.has(key(crossing))).length;
  return { crossings: rows.length, lost, doubled, invented, misplaced };
}

/** No two people of a door share an instant. */
function key({ at, direction }: TrueCrossing | StoredRow): string {
  return `${at} ${direction}`;
}
