import type { ClientBase } from 'pg';
import { type CrossingRow, compareKeys, type RejectedRow } from '../crossings/crossing-row.ts';
import type { ExcessJournal, JournalLimits } from '../crossings/journal-ids.ts';
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
  limits?: JournalLimits,
): Promise<PreparedRows> {
  const { journals, stores } = caches;
  const known = rowsFromCache(caches, messages);
  if (!('unknown' in known)) return known;
  const senders = messages.flatMap(({ deviceId, topic, batch }) =>
    batch ? { deviceId, serial: topic.split('/')[2], journal: batch.journal } : [],
  );
  const excess = await journals.load(client, senders, limits);
  await stores.load(
    client,
    senders.map(({ deviceId }) => deviceId),
  );
  const loaded = rowsFromCache(caches, messages, excess);
  if ('unknown' in loaded) throw new UnknownDevice(loaded.unknown);
  return loaded;
}

/** `unknown`: a device whose journal or assignments are not cached. */
function rowsFromCache(
  { journals, stores }: StoringCaches,
  messages: readonly MessageToStore[],
  excess: readonly ExcessJournal[] = [],
): PreparedRows | { readonly unknown: number } {
  const excessReasons = new Map(
    excess.map(({ deviceId, journal, reason }) => [`${deviceId} ${journal}`, reason]),
  );
  const rows: CrossingRow[] = [];
  const rejected: RejectedRow[] = [];
  for (let message = 0; message < messages.length; message += 1) {
    const { deviceId: device = 0, batch } = messages[message] ?? {};
    if (batch === undefined) continue;
    const { journal, crossings } = batch;
    const reason = excess.length > 0 ? excessReasons.get(`${device} ${journal}`) : undefined;
    const isExcess = reason !== undefined;
    const journalId = isExcess ? 0 : journals.get(device, journal);
    const assignments = isExcess ? [] : stores.assignmentsOf(device);
    if (journalId === undefined || assignments === undefined) return { unknown: device };
    for (const { sequence, at, direction, uncertainty = null } of crossings) {
      const storeId = storeAt(assignments, at);
      if (storeId === undefined) {
        const row = { message, journalId, journal, device, sequence, at, direction, uncertainty };
        rejected.push({ row, reason: reason ?? 'device: belongs to no store' });
      } else {
        rows.push({ message, journalId, journal, device, sequence, at, direction, uncertainty, storeId });
      }
    }
  }
  return { rows: rows.sort(compareKeys), rejected };
}
