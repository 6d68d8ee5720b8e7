import type { Kysely } from 'kysely';
import { type CrossingRow, compareKeys, type RejectedRow } from '../crossings/crossing-row.ts';
import { type JournalIds, mostJournals } from '../crossings/journal-ids.ts';
import type { DB } from '../sql/schema.ts';
import type { MessageToStore } from './store-messages.ts';
import { UnknownDevice } from './storing-error.ts';

/** The crossings of messages as rows. */
interface PreparedRows {
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
  db: Kysely<DB>,
  journals: JournalIds,
  messages: readonly MessageToStore[],
): Promise<PreparedRows> {
  const known = rowsFromCache(journals, messages);
  if (!('unknown' in known)) return known;
  const senders = messages.flatMap(({ deviceId, topic, batch }) =>
    batch ? { deviceId, serial: topic.split('/')[2], journal: batch.journal } : [],
  );
  const full = await journals.load(db, senders);
  const loaded = rowsFromCache(journals, messages, full);
  if ('unknown' in loaded) throw new UnknownDevice(loaded.unknown);
  return loaded;
}

/** `full`: devices that have too many journals. `unknown`: a device whose journal is not cached. */
function rowsFromCache(
  journals: JournalIds,
  messages: readonly MessageToStore[],
  full: ReadonlySet<number> = new Set(),
): PreparedRows | { readonly unknown: number } {
  const rows: CrossingRow[] = [];
  const rejected: RejectedRow[] = [];
  for (let message = 0; message < messages.length; message += 1) {
    const { deviceId: device = 0, batch } = messages[message] ?? {};
    if (batch === undefined) continue;
    const { journal, crossings } = batch;
    const cachedId = journals.get(device, journal);
    const isExcess = cachedId === undefined && full.has(device);
    if (cachedId === undefined && !isExcess) return { unknown: device };
    const journalId = cachedId ?? 0;
    for (const { sequence, at, direction, uncertainty = null } of crossings) {
      const row = { message, journalId, journal, device, sequence, at, direction, uncertainty };
      if (isExcess) rejected.push({ row, reason: `limit: more than ${mostJournals} journals` });
      else rows.push(row);
    }
  }
  return { rows: rows.sort(compareKeys), rejected };
}
