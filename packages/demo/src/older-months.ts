import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { listDevices } from '@visitor-counter/database/devices/list-devices';
import { type MessageToStore, storeMessages } from '@visitor-counter/database/ingest/store-messages';
import { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import { addDays, instantOfWallClock } from '@visitor-counter/domain/time-zone';
import { writeAtomically } from '@visitor-counter/service/files';
import { peopleOf } from '@visitor-counter/simulation/people';
import { parseTrafficProfile, type TrafficProfile } from '@visitor-counter/simulation/traffic-profile';
import { topic } from '@visitor-counter/wire/topics';
import {
  type DemoDoor,
  type DemoStore,
  demoStores,
  recordedDays,
  runningDoors,
  wholePast,
} from './company/stores.ts';
import { type Demo, profileFile } from './start-demo.ts';

/** What is stored at a time: four weeks, and crossings in a transaction. */
const month = 28 * 86_400_000;
const atOnce = 1_000;

/** How often the recording was played before its first day in `startsOn`. */
const repeats = Math.ceil(wholePast / recordedDays);

/**
 * Stores what the doors counted before their units began: the recording, repeated backwards, as the gateway stores what units
 * deliver. The latest month comes first, and half of the time is left to the units. Each door has a journal for each month
 * with the same people every time, so a month that was interrupted is continued: nobody is counted twice.
 */
export async function storeOlderMonths(demo: Demo, signal: AbortSignal): Promise<void> {
  const { database, databaseUrl, folder, state } = demo;
  if (state.hasOlderMonths) return;
  const file = join(folder, 'older-months');
  const done = Number(await readFile(file, 'utf8').catch(() => '0'));
  const profile = parseTrafficProfile(await readFile(profileFile, 'utf8'));
  const serials = demoStores.flatMap(({ doors }) => doors.map(({ serial }) => serial));
  const devices = await listDevices(database.kysely, { serials });
  const ids = new Map(devices.map(({ serial, id }) => [serial, id]));
  const connection = new StoringConnection(databaseUrl, 'visitor-counter demo');
  try {
    for (let back = done; back * month < wholePast * 86_400_000; back += 1) {
      for (const store of demoStores)
        for (const door of runningDoors(store))
          for (const message of messagesOf(demo, store, door, {
            profile,
            back,
            deviceId: ids.get(door.serial),
          })) {
            const begun = performance.now();
            await connection.use((client, known) => storeMessages(client, known, [message]));
            await delay(performance.now() - begun, undefined, { signal });
          }
      await writeAtomically(file, String(back + 1));
    }
  } finally {
    await connection.close();
  }
}

interface Month {
  readonly profile: TrafficProfile;
  /** How many months earlier than the first day of the units it ends. */
  readonly back: number;
  readonly deviceId: number | undefined;
}

/** The crossings of a door in a month, in messages. */
function* messagesOf(
  { state }: Demo,
  { sid, timeZone }: DemoStore,
  { serial, overlays }: DemoDoor,
  { profile, back, deviceId }: Month,
): Generator<MessageToStore> {
  const first = state.startsOn[sid];
  if (first === undefined || deviceId === undefined) return;
  const midnight = (days: number) => instantOfWallClock(`${addDays(first, days)}T00:00`, timeZone);
  const end = Math.max(midnight(0), state.from[sid] ?? 0);
  const from = Math.max(end - (back + 1) * month, midnight(recordedDays - wholePast));
  const until = end - back * month;
  const startsOn = addDays(first, -repeats * recordedDays);
  const crossings = [];
  for (const people of peopleOf({ profile, timeZone, startsOn, overlays, from, until }))
    for (const { direction, times } of people)
      crossings.push({ sequence: crossings.length + 1, at: times[3], direction });
  for (let next = 0; next < crossings.length; next += atOnce)
    yield {
      deviceId,
      topic: topic(serial, 'crossings'),
      batch: { journal: `before-${back + 1}`, crossings: crossings.slice(next, next + atOnce) },
      rejections: [],
    };
}
