import { connect, type Database } from '@visitor-counter/database/sql/connect';
import type { UnitTruth } from '../truth/unit-truth.ts';
import { type StoredQuarter, wrongQuarters } from './compare-quarters.ts';
import { compareRows, type Difference, type StoredRow } from './compare-rows.ts';

/** The differences between the database and the truth. */
export interface Stored extends Difference {
  /** Rejected messages of honest units. */
  readonly rejected: number;
  /** Quarter hours of honest stores whose projection differs from what their crossings do. */
  readonly wrongQuarters: number;
}

/**
 * Compares rows, and the projection of stores (`sids`), with the truth. `truths` are in
 * the order of the devices' ids.
 */
export async function checkStored(
  databaseUrl: string,
  truths: readonly UnitTruth[],
  sids: readonly string[],
): Promise<Stored> {
  const database = connect(databaseUrl, { applicationName: 'fault campaign', maxConnections: 1 });
  try {
    const { rows: kept } = await database.pool.query(
      'select from rejected_message join device on device.id = device_id where serial = any($1)',
      [truths.map(({ serial }) => serial)],
    );
    const found: Difference[] = [];
    for (const truth of truths) found.push(compareRows(truth, await rowsOf(database, truth.serial)));
    const sum = (part: keyof Difference) => found.reduce((total, one) => total + one[part], 0);
    return {
      crossings: sum('crossings'),
      lost: sum('lost'),
      doubled: sum('doubled'),
      invented: sum('invented'),
      misplaced: sum('misplaced'),
      rejected: kept.length,
      wrongQuarters: wrongQuarters(truths, await quartersOf(database, sids)),
    };
  } finally {
    await database.close();
  }
}

async function quartersOf({ pool }: Database, sids: readonly string[]): Promise<StoredQuarter[]> {
  const { rows } = await pool.query<StoredQuarter>(
    `select sid, quarter, sum, floor
     from quarter_state join store on store.id = store_id where sid = any($1)`,
    [sids],
  );
  return rows;
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
