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
      return { serial, recorded, acknowledged, stored: 0, ...stored.get(serial) };
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

/** What is known of the crossings of each device, by serial number; nothing while the database is unavailable. */
async function storedCounts({ pool }: Database) {
  const statement = `select serial,
      (select count(*) from crossing where device_id = device.id)::float8 as stored,
      (select json_agg(json_build_array(name, recorded, missing, lost)) from journal where device_id = device.id) as journals,
      (select json_agg(json_build_array(created_at, command, state)) from device_command where device_id = device.id) as commands
    from device`;
  interface Row {
    readonly serial: string;
    readonly stored: number;
    readonly journals: unknown;
    readonly commands: unknown;
  }
  const { rows } = await pool.query<Row>(statement).catch(() => ({ rows: [] }));
  return new Map(rows.map((row) => [row.serial, row]));
}
