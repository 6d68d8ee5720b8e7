import { connect } from '@visitor-counter/database/sql/connect';
import type { UnitTruth } from '../truth/unit-truth.ts';

/** The truths in the order of the devices' ids, which orders crossings of one instant. */
export async function inDeviceOrder(
  databaseUrl: string,
  truths: readonly UnitTruth[],
): Promise<readonly UnitTruth[]> {
  const database = connect(databaseUrl, { applicationName: 'fault campaign', maxConnections: 1 });
  try {
    const { rows } = await database.pool.query<{ serial: string }>('select serial from device order by id');
    return rows.flatMap(({ serial }) => truths.filter((truth) => truth.serial === serial));
  } finally {
    await database.close();
  }
}
