import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '@visitor-counter/database/sql/connect';
import { untilDone, type Way } from './until.ts';
import { wrongWitnesses } from './witnesses/witnesses.ts';
import type { World } from './world/world.ts';

/** The findings of one checkpoint, without faults and without crossings. */
export interface Checkpoint {
  /** How long until all journaled crossings were acknowledged and stored (s); undefined if they never were. */
  readonly storedIn?: number;
  /** How long after that the witnesses matched the truth (ms); undefined beyond `witnessDeadline`. */
  readonly agreedIn?: number;
  /** The remaining differences. */
  readonly wrong: readonly string[];
}

/**
 * People are held, but a unit whose clock is ahead has sent crossings before they happen. The live stream counts them within
 * two seconds after they have happened, so those of this time (ms) may be missing.
 */
const unseen = 3_000;

/** How long witnesses may be wrong after everything journaled is stored (ms). */
export const witnessDeadline = 5_000;

/**
 * Stops all people, waits until all journaled crossings are acknowledged and stored, and compares every witness with the
 * truth. All faults must have ended.
 */
export async function checkpoint(world: World): Promise<Checkpoint> {
  const begin = performance.now();
  for (const { process } of world.units) process.set('held', true);
  const heldAt = Date.now();
  try {
    await using counts = storedCounts(world.database.url);
    if (!(await untilDone(() => lookStored(world, counts)))) return { wrong: await missing(world, counts) };
    const storedIn = Math.round((performance.now() - begin) / 100) / 10;
    return { storedIn, ...(await untilAgreed(world, heldAt)) };
  } finally {
    for (const { process } of world.units) process.set('held', false);
  }
}

async function lookStored(world: World, counts: StoredCounts): Promise<Way> {
  const stored = await counts.read();
  const isReady = stored !== undefined && (await isHealthy(world));
  const units = world.units.map(({ truth, progress }) => ({
    ...progress,
    stored: stored?.get(truth.serial) ?? 0,
  }));
  return {
    progress: units.reduce((sum, unit) => sum + unit.acknowledged + Math.min(unit.stored, unit.recorded), 0),
    isDone: isReady && units.every((unit) => Math.min(unit.acknowledged, unit.stored) >= unit.recorded),
  };
}

async function isHealthy({ api }: World): Promise<boolean> {
  return fetch(`${api.url}/health`).then(
    ({ status }) => status === 200,
    () => false,
  );
}

async function missing({ units }: World, counts: StoredCounts): Promise<string[]> {
  const stored = await counts.read();
  return units.flatMap(({ truth: { serial }, progress: { recorded, acknowledged } }) => {
    const count = stored?.get(serial) ?? 0;
    if (Math.min(count, acknowledged) >= recorded) return [];
    return `${serial}: ${recorded} recorded, ${acknowledged} acknowledged, ${count} stored`;
  });
}

/** A commit that was in flight when people stopped restarts the time. */
async function untilAgreed(
  { units, witnesses, companies }: World,
  heldAt: number,
): Promise<Pick<Checkpoint, 'agreedIn' | 'wrong'>> {
  let since = performance.now();
  let before = '';
  for (;;) {
    const doors = units.map(({ truth, progress }) => ({ truth, ...progress }));
    const now = JSON.stringify(doors.map(({ recorded }) => recorded));
    const isPending = doors.some(({ recorded, acknowledged }) => acknowledged < recorded);
    if (now !== before || isPending) since = performance.now();
    before = now;
    const wrong = wrongWitnesses(witnesses, companies, doors, Math.max(heldAt, Date.now() - unseen));
    const passed = performance.now() - since;
    if (wrong.length === 0 && !isPending) return { agreedIn: Math.round(passed), wrong };
    if (passed > witnessDeadline) return { wrong };
    await pause(50);
  }
}

/** How many crossings are stored of each device. */
export interface StoredCounts extends AsyncDisposable {
  /** By serial number; undefined while the database is unavailable. */
  read(): Promise<ReadonlyMap<string, number> | undefined>;
}

export function storedCounts(databaseUrl: string): StoredCounts {
  const database = connect(databaseUrl, { applicationName: 'fault campaign', maxConnections: 1 });
  return {
    read: async () => {
      try {
        const { rows } = await database.pool.query<{ serial: string; count: number }>(
          `select serial, count(*)::float8 as count from crossing join device on device.id = device_id
           group by serial`,
        );
        return new Map(rows.map(({ serial, count }) => [serial, count]));
      } catch {
        return undefined;
      }
    },
    [Symbol.asyncDispose]: () => database.close(),
  };
}
