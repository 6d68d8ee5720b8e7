import { judgeDirections } from '@visitor-counter/database/occupancy/judge-directions';
import { connect } from '@visitor-counter/database/sql/connect';
import { now } from '../api/workload.ts';
import { median } from '../shared/median.ts';

const times = 5;

/** The median time (ms) in which the directions of all doors are judged, as from time to time. */
export async function measureDirections(databaseUrl: string): Promise<number> {
  const database = connect(databaseUrl, { applicationName: 'bench', maxConnections: 1 });
  try {
    await judgeDirections(database.kysely, now);
    const taken: number[] = [];
    for (let count = 0; count < times; count += 1) {
      const begin = performance.now();
      await judgeDirections(database.kysely, now);
      taken.push(performance.now() - begin);
    }
    return median(taken);
  } finally {
    await database.pool.query('update device set direction_doubtful_since = null');
    await database.close();
  }
}
