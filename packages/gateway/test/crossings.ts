import type { SeededDevices } from './test-gateway.ts';

/** The instant before the first crossing of a journal (epoch ms). */
export const at = Date.UTC(2026, 10, 20, 10);

export type Entry = [at: number, direction: number];

/** Entries of a journal as sent, by sequence: one every second, every third one out. */
export function entries(first: number, count: number): Entry[] {
  return Array.from({ length: count }, (_, index) => {
    const sequence = first + index;
    return [at + sequence * 1_000, sequence % 3 === 0 ? -1 : 1];
  });
}

/** All crossings of the test's devices in the table, by serial, journal, sequence. */
export function stored({ seed, deviceId, otherId }: SeededDevices): Promise<Record<string, unknown>[]> {
  return seed.query(
    `select serial, journal.name as journal, sequence::int,
       (extract(epoch from at) * 1000)::float8 as at, direction
     from crossing join device on device.id = device_id join journal on journal.id = journal_id
     where crossing.device_id in ($1, $2)
     order by serial, journal.name, sequence`,
    [deviceId, otherId],
  );
}

/** Finds the statements that wait for another transaction before they store crossings. */
export const waitingInserts = `
  select from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into crossing%'`;

/** What `stored` returns when exactly these entries are in the table. */
export function asStored(serial: string, journal: string, first: number, sent: readonly Entry[]): unknown[] {
  return sent.map(([instant, direction], index) => ({
    serial,
    journal,
    sequence: first + index,
    at: instant,
    direction,
  }));
}

/** All rejected messages of the test's devices, by serial, reason, payload. */
export function rejected({ seed, deviceId, otherId }: SeededDevices): Promise<Record<string, unknown>[]> {
  return seed.query(
    `select serial, topic, reason, convert_from(payload, 'UTF8') as payload
     from rejected_message join device on device.id = device_id
     where device_id in ($1, $2)
     order by serial, reason, payload`,
    [deviceId, otherId],
  );
}
