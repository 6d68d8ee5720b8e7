import { connect, type Database } from '@visitor-counter/database/connect';
import type { TrueCrossing, UnitTruth } from '../truth/unit-truth.ts';

/** What the database holds, held against the truth. */
export interface Stored {
  readonly crossings: number;
  /** Crossings of the truth that are not there. */
  readonly lost: number;
  /** Rows beyond the first for a crossing of the truth. */
  readonly doubled: number;
  /** Rows that no crossing of the truth accounts for. */
  readonly invented: number;
  /** Rows in another store than the truth's, or not in the one journal, under their own number. */
  readonly misplaced: number;
  /** Messages that were kept because they could not be stored. */
  readonly rejected: number;
}

/** Compares row by row. The serial numbers come back in the order of the devices' ids. */
export async function checkStored(
  databaseUrl: string,
  truths: readonly UnitTruth[],
): Promise<{ stored: Stored; serials: string[] }> {
  const database = connect(databaseUrl, { applicationName: 'fault campaign', maxConnections: 1 });
  try {
    const { rows: devices } = await database.pool.query<{ serial: string }>(
      'select serial from device order by id',
    );
    const { rows: kept } = await database.pool.query('select from rejected_message');
    const found: Found[] = [];
    for (const truth of truths) found.push(compare(truth, await rowsOf(database, truth.serial)));
    const sum = (part: keyof Found) => found.reduce((total, one) => total + one[part], 0);
    const stored = {
      ...{ crossings: sum('crossings'), lost: sum('lost'), doubled: sum('doubled') },
      ...{ invented: sum('invented'), misplaced: sum('misplaced'), rejected: kept.length },
    };
    return { stored, serials: devices.map(({ serial }) => serial) };
  } finally {
    await database.close();
  }
}

type Found = Omit<Stored, 'rejected'>;

interface Row {
  readonly journal: number;
  readonly sequence: number;
  /** Epoch ms. */
  readonly at: number;
  readonly direction: number;
  readonly sid: string;
}

async function rowsOf({ pool }: Database, serial: string): Promise<Row[]> {
  const { rows } = await pool.query<Row>(
    `select journal_id as journal, sequence::float8 as sequence, direction, sid,
       (extract(epoch from at) * 1000)::float8 as at
     from crossing join device on device.id = device_id join store on store.id = store_id
     where serial = $1 order by journal_id, sequence`,
    [serial],
  );
  return rows;
}

function compare({ crossings, assignments }: UnitTruth, rows: readonly Row[]): Found {
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
function key({ at, direction }: TrueCrossing | Row): string {
  return `${at} ${direction}`;
}
