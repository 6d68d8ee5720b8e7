import { connect, type Database } from '@visitor-counter/database/sql/connect';
import { untilDone } from './until.ts';
import type { World } from './world/world.ts';

/**
 * Stops all people, and waits until all journaled crossings are acknowledged and stored, and every reader has copied them. Returns the differences that remain. All faults must have ended.
 */
export async function checkpoint(world: World): Promise<readonly string[]> {
  for (const { process } of world.units) process.set('held', true);
  const database = connect(world.database.url, { applicationName: 'fault campaign', maxConnections: 1 });
  let found: string[] = [];
  const look = async () => {
    const stored = await storedCounts(database);
    const units = world.units.map(({ truth: { serial }, progress: { recorded, acknowledged } }) => {
      return { serial, recorded, acknowledged, stored: stored.get(serial) ?? 0 };
    });
    const late = units.filter((unit) => Math.min(unit.acknowledged, unit.stored) < unit.recorded);
    const doors = world.units.map(({ truth, progress: { recorded } }) => ({ truth, recorded }));
    const copies = world.witnesses.flatMap((witness) => witness.wrong(doors));
    found = [...late.map((unit) => `not delivered: ${JSON.stringify(unit)}`), ...copies];
    const progress = units.reduce((sum, unit) => sum + unit.acknowledged + unit.stored, 0);
    return { progress, isDone: found.length === 0 };
  };
  try {
    await untilDone(look);
    return found;
  } finally {
    for (const { process } of world.units) process.set('held', false);
    await database.close();
  }
}

/** How many crossings of each device are stored, by serial number; none while the database is unavailable. */
async function storedCounts({ pool }: Database): Promise<ReadonlyMap<string, number>> {
  const statement = `select serial, count(*)::float8 as count
    from crossing join device on device.id = device_id group by serial`;
  const { rows } = await pool.query<{ serial: string; count: number }>(statement).catch(() => ({ rows: [] }));
  return new Map(rows.map(({ serial, count }) => [serial, count]));
}
