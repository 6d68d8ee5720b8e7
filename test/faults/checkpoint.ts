import { connect, type Database } from '@visitor-counter/database/sql/connect';
import { untilDone } from './until.ts';
import { wrongWitnesses } from './witnesses/witnesses.ts';
import type { World } from './world/world.ts';

/**
 * People are held, but a unit whose clock is ahead has sent crossings before they happen. The live stream counts them within
 * two seconds after they have happened, so those of this time (ms) may be missing.
 */
const unseen = 3_000;

/**
 * Stops all people, waits until all journaled crossings are acknowledged and stored, and then until every witness agrees with
 * the truth. Returns the differences that remain. All faults must have ended.
 */
export async function checkpoint(world: World): Promise<readonly string[]> {
  for (const { process } of world.units) process.set('held', true);
  const heldAt = Date.now();
  const database = connect(world.database.url, { applicationName: 'fault campaign', maxConnections: 1 });
  let found: string[] = [];
  const look = async () => {
    const stored = await storedCounts(database);
    const units = world.units.map(({ truth: { serial }, progress: { recorded, acknowledged } }) => {
      return { serial, recorded, acknowledged, stored: stored.get(serial) ?? 0 };
    });
    const late = units.filter((unit) => Math.min(unit.acknowledged, unit.stored) < unit.recorded);
    const doors = world.units.map(({ truth, progress: { recorded } }) => ({ truth, recorded }));
    const until = Math.max(heldAt, Date.now() - unseen);
    const wrong = wrongWitnesses(world.witnesses, world.companies, doors, until);
    found = [...late.map((unit) => `not delivered: ${JSON.stringify(unit)}`), ...wrong];
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
