import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import type { decodeCrossings } from '@visitor-counter/wire/crossings-message';
import { accountRejected, recordConflicts } from '../coverage/account-unstored.ts';
import { type JournalIds, mostJournals } from '../crossings/journal-ids.ts';
import {
  entryOf,
  malformed,
  type Rejected,
  type Rejection,
  rejectionOf,
  rejectionsByReason,
  storeRejected,
} from '../rejected/store-rejected.ts';
import type { Db } from '../sql/query-builder.ts';
import { type CrossingRow, compareKeys, conflict, type RejectedRow, storeRows } from './store-rows.ts';
import { UnknownDevice } from './storing-connection.ts';

/** A decoded and validated message: crossings to store, and rejections of what cannot be stored. */
export interface MessageToStore extends MessageContent {
  readonly deviceId: number;
  readonly topic: string;
}

export interface MessageContent {
  readonly batch?: { readonly journal: string; readonly crossings: readonly NumberedCrossing[] };
  readonly rejections: readonly Rejection[];
}

/** What is stored of a crossings message: its valid entries; the others, and a message that cannot be decoded, as rejections. */
export function contentOf(decoded: ReturnType<typeof decodeCrossings>, payload: Uint8Array): MessageContent {
  if ('malformed' in decoded) return { rejections: [malformed(decoded.malformed, payload)] };
  const { journal, valid, rejected } = decoded;
  const batch = valid.length > 0 && { batch: { journal, crossings: valid } };
  return { ...batch, rejections: rejectionsByReason(journal, rejected) };
}

/**
 * `stored`: all of it is durable, as crossings or among the rejected messages. `full`: a part of it was rejected and
 * is not stored, because its device has too many rejected messages; its crossings are stored.
 */
export type StoreOutcome = 'stored' | 'full';

/** What was done with messages. */
export type StoreReport = Awaited<ReturnType<typeof storeMessages>>;

/**
 * Stores messages; everything has committed when this returns: the crossings first, then what cannot be stored as
 * rejected messages. If this throws, anything may be stored or not: a retry is right in all cases, since the key
 * (journal, sequence) makes every crossing count once, and a rejected message is stored once.
 */
export async function storeMessages(db: Db, journals: JournalIds, messages: readonly MessageToStore[]) {
  const { inserted, duplicates, rejectedRows, rejected } = await storeCrossings(db, journals, messages);
  const conflicting = rejectedRows.flatMap(({ row, reason }) => (reason === conflict ? row : []));
  const { stored, full } = await storeAccounted(db, rejected, conflicting);
  return {
    /** The outcome of each message, in their order. */
    outcomes: messages.map((_, index): StoreOutcome => (full.has(index) ? 'full' : 'stored')),
    /** Crossings that were not in the table before. */
    inserted,
    /** Crossings that were stored before with the same content. */
    duplicates,
    /** Crossings that cannot be stored, including conflicts: another crossing has their key. */
    rejected: rejectedRows.length,
    conflicts: conflicting.length,
    /** The reasons of the newly stored rejected messages. */
    rejectedReasons: stored.map(({ reason }) => reason),
  };
}

/** Stores the crossings of messages that are not in the table yet, and returns what remains to be stored as rejected. */
export async function storeCrossings(db: Db, journals: JournalIds, messages: readonly MessageToStore[]) {
  const { rows, excess } = await prepareRows(db, journals, messages);
  const { inserted, rejected } = await storeRows(db, rows);
  const rejectedRows = [...excess, ...rejected];
  return {
    /** How many crossings are new in the table. */
    inserted,
    /** How many were stored before. */
    duplicates: rows.length - inserted - rejected.length,
    /** Crossings that cannot be stored, conflicts included. */
    rejectedRows,
    /** All rejected parts of the messages. */
    rejected: [...messages.flatMap(rejectionsOf), ...rejectionsOfRows(messages, rejectedRows)],
  };
}

/**
 * Turns the crossings of all messages into rows, sorted by their keys, and finds the id of each journal, in the database if
 * it is not cached. `excess`: those of journals beyond the limit. Must not run inside a transaction.
 */
async function prepareRows(db: Db, journals: JournalIds, messages: readonly MessageToStore[]) {
  const named = messages.flatMap(({ deviceId, batch }) =>
    batch ? { deviceId, journal: batch.journal } : [],
  );
  const full = await journals.load(db, named);
  const rows: CrossingRow[] = [];
  const excess: RejectedRow[] = [];
  for (let message = 0; message < messages.length; message += 1) {
    const { deviceId: device = 0, batch } = messages[message] ?? {};
    if (batch === undefined) continue;
    const { journal, crossings } = batch;
    const journalId = journals.get(device, journal);
    if (journalId === undefined && !full.has(device)) throw new UnknownDevice(device);
    for (const { sequence, at, direction, uncertainty = null } of crossings) {
      const row = {
        message,
        journalId: journalId ?? 0,
        journal,
        device,
        sequence,
        at,
        direction,
        uncertainty,
      };
      if (journalId === undefined) excess.push({ row, reason: `limit: more than ${mostJournals} journals` });
      else rows.push(row);
    }
  }
  return { rows: rows.sort(compareKeys), excess };
}

/**
 * Stores rejected messages in a transaction, and records that their sequences are accounted for. The sequences of conflicts
 * are stored already.
 */
async function storeAccounted(
  db: Db,
  rejected: readonly Rejected[],
  conflicting: readonly CrossingRow[],
): ReturnType<typeof storeRejected> {
  if (rejected.length === 0) return { stored: [], full: new Set() };
  return db.transaction().execute(async (trx) => {
    const result = await storeRejected(trx, rejected);
    const accounted = rejected.flatMap(({ message, deviceId, reason, entries }) =>
      entries === undefined || reason === conflict || result.full.has(message)
        ? []
        : { deviceId, ...entries },
    );
    await accountRejected(trx, accounted);
    await recordConflicts(trx, conflicting);
    return result;
  });
}

function rejectionsOf({ deviceId, topic, rejections }: MessageToStore, message: number): Rejected[] {
  return rejections.map((rejection) => ({ message, deviceId, topic, ...rejection }));
}

function rejectionsOfRows(
  messages: readonly MessageToStore[],
  rows: readonly RejectedRow[],
): readonly Rejected[] {
  const groups = Map.groupBy(rows, ({ row, reason }) => `${row.message} ${reason}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const message = messages[first?.row.message ?? -1];
    if (first === undefined || message?.batch === undefined) return [];
    const { deviceId, topic, batch } = message;
    const entries = group.map(({ row }) => entryOf(row));
    return {
      message: first.row.message,
      deviceId,
      topic,
      ...rejectionOf(first.reason, batch.journal, entries),
    };
  });
}
