import type { ClientBase } from 'pg';
import { type CrossingRow, compareKeys, type RejectedRow } from '../crossings/crossing-row.ts';
import type { ExcessJournal, JournalIds, JournalLimits } from '../crossings/journal-ids.ts';
import type { MessageToStore } from './store-messages.ts';
import { UnknownDevice } from './storing-error.ts';

/** The crossings of messages as rows. */
export interface PreparedRows {
  /** Sorted by their keys. */
  readonly rows: readonly CrossingRow[];
  /** Crossings of journals beyond the limits. */
  readonly rejected: readonly RejectedRow[];
}

/**
 * Turns the crossings of all messages into rows: finds the id of each journal, in the database if it is not cached.
 * Must not run inside a transaction.
 */
export async function prepareRows(
  client: ClientBase,
  journals: JournalIds,
  messages: readonly MessageToStore[],
  limits?: JournalLimits,
): Promise<PreparedRows> {
  const known = rowsFromCache(journals, messages);
  if (!('unknown' in known)) return known;
  const senders = messages.flatMap(({ deviceId, topic, batch }) =>
    batch ? { deviceId, serial: topic.split('/')[2], journal: batch.journal } : [],
  );
  const excess = await journals.load(client, senders, limits);
  const loaded = rowsFromCache(journals, messages, excess);
  if ('unknown' in loaded) throw new UnknownDevice(loaded.unknown);
  return loaded;
}

/** `unknown`: a device whose journal is not cached. */
function rowsFromCache(
  journals: JournalIds,
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
    const journalId = reason === undefined ? journals.get(device, journal) : 0;
    if (journalId === undefined) return { unknown: device };
    for (const { sequence, at, direction, uncertainty = null } of crossings) {
      const row = { message, journalId, journal, device, sequence, at, direction, uncertainty };
      if (reason === undefined) rows.push(row);
      else rejected.push({ row, reason });
    }
  }
  return { rows: rows.sort(compareKeys), rejected };
}
