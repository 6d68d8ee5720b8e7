import { connect, type Database } from '@visitor-counter/database/sql/connect';
import type { UnitTruth } from '../truth/unit-truth.ts';
import { compareRows, type Difference, type StoredRow } from './compare-rows.ts';

/** The differences between the database and the truth. */
export interface Stored extends Difference {
  /** Rejected messages. */
  readonly rejected: number;
}

/** Compares the rows of all units with the truth. */
export async function checkStored(databaseUrl: string, truths: readonly UnitTruth[]): Promise<Stored> {
  const database = connect(databaseUrl, { applicationName: 'fault campaign', maxConnections: 1 });
  try {
    const { rows: rejected } = await database.pool.query('select from rejected_message');
    const found: Difference[] = [];
    for (const truth of truths) found.push(compareRows(truth, await rowsOf(database, truth.serial)));
    const sum = (part: keyof Difference) => found.reduce((total, one) => total + one[part], 0);
    return {
      crossings: sum('crossings'),
      lost: sum('lost'),
      doubled: sum('doubled'),
      invented: sum('invented'),
      misplaced: sum('misplaced'),
      rejected: rejected.length,
    };
  } finally {
    await database.close();
  }
}

async function rowsOf({ pool }: Database, serial: string): Promise<StoredRow[]> {
  const { rows } = await pool.query<StoredRow>(
    `select journal_id as journal, sequence::float8 as sequence, direction, sid,
       (extract(epoch from at) * 1000)::float8 as at
     from crossing join device on device.id = device_id join store on store.id = store_id
     where serial = $1 order by journal_id, sequence`,
    [serial],
  );
  return rows;
}
