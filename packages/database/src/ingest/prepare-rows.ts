import type { ClientBase } from 'pg';
import { type CrossingRow, compareKeys, type RejectedRow } from '../crossings/crossing-row.ts';
import { mostJournals } from '../crossings/journal-ids.ts';
import { storeAt } from '../devices/device-stores.ts';
import type { MessageToStore } from './store-messages.ts';
import type { StoringCaches } from './storing-connection.ts';
import { UnknownDevice } from './storing-error.ts';

/** The crossings of messages as rows. */
export interface PreparedRows {
  /** Sorted by their keys. */
  readonly rows: CrossingRow[];
  /** Crossings of devices that belong to no store at the instant, or of journals beyond the limits. */
  readonly rejected: RejectedRow[];
}

/**
 * Turns the crossings of all messages into rows: finds the id of each journal, and the store that the device belongs to
 * at the instant of each crossing. Reads both from the database if they are not cached.
 */
export async function prepareRows(
  client: ClientBase,
  caches: StoringCaches,
  messages: readonly MessageToStore[],
): Promise<PreparedRows> {
  const { journals, stores } = caches;
  const known = rowsFromCache(caches, messages);
  if (!('unknown' in known)) return known;
  const senders = messages.flatMap(({ deviceId, topic, batch }) =>
    batch ? { deviceId, serial: topic.split('/')[2], journal: batch.journal } : [],
  );
  const full = await journals.load(client, senders);
  await stores.load(
    client,
    senders.map(({ deviceId }) => deviceId),
  );
  const loaded = rowsFromCache(caches, messages, full);
  if ('unknown' in loaded) throw new UnknownDevice(loaded.unknown);
  return loaded;
}

/** `full`: devices that have too many journals. `unknown`: a device whose journal or assignments are not cached. */
function rowsFromCache(
  { journals, stores }: StoringCaches,
  messages: readonly MessageToStore[],
  full: ReadonlySet<number> = new Set(),
): PreparedRows | { readonly unknown: number } {
  const rows: CrossingRow[] = [];
  const rejected: RejectedRow[] = [];
  for (let message = 0; message < messages.length; message += 1) {
    const { deviceId: device = 0, batch } = messages[message] ?? {};
    if (batch === undefined) continue;
    const { journal, crossings } = batch;
    const assignments = stores.assignmentsOf(device);
    const cachedId = journals.get(device, journal);
    const isExcess = cachedId === undefined && full.has(device);
    if (assignments === undefined || (cachedId === undefined && !isExcess)) return { unknown: device };
    const journalId = cachedId ?? 0;
    for (const { sequence, at, direction, uncertainty = null } of crossings) {
      const storeId = isExcess ? undefined : storeAt(assignments, at);
      if (storeId === undefined) {
        const row = { message, journalId, journal, device, sequence, at, direction, uncertainty };
        const reason = isExcess ? `limit: more than ${mostJournals} journals` : 'device: belongs to no store';
        rejected.push({ row, reason });
      } else {
        rows.push({ message, journalId, journal, device, sequence, at, direction, uncertainty, storeId });
      }
    }
  }
  return { rows: rows.sort(compareKeys), rejected };
}
