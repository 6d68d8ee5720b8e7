import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import type { ClientBase } from 'pg';
import { accountRejected } from '../coverage/account-rejected.ts';
import { recordConflicts } from '../coverage/cloned-journals.ts';
import { type CrossingRow, conflict, type RejectedRow } from '../crossings/crossing-row.ts';
import { entryOf, type Rejection, rejectionOf } from '../rejected/rejected-entries.ts';
import { type Rejected, type StoredRejected, storeRejected } from '../rejected/store-rejected.ts';
import { type PreparedRows, prepareRows } from './prepare-rows.ts';
import { beginStoring, storeMissing, storeNew } from './store-rows.ts';
import type { StoringCaches } from './storing-connection.ts';
import { ChangedMeanwhile, storingErrorPolicy } from './storing-error.ts';

/** A decoded and validated message: crossings to store, and rejections of what cannot be stored. */
export interface MessageToStore {
  readonly deviceId: number;
  readonly topic: string;
  readonly batch?: { readonly journal: string; readonly crossings: readonly NumberedCrossing[] };
  readonly rejections: readonly Rejection[];
}

/**
 * `stored`: all of it is durable, as crossings or among the rejected messages. `full`: a part of it was rejected and
 * is not stored, because its device has too many rejected messages; its crossings are stored.
 */
export type StoreOutcome = 'stored' | 'full';

/** What one committed transaction did. */
export interface StoreReport {
  /** The outcome of each message, in their order. */
  readonly outcomes: readonly StoreOutcome[];
  /** Crossings that were not in the table before, sorted by their keys. */
  readonly inserted: readonly CrossingRow[];
  /** Crossings that were stored before with the same content, or that retention has removed. */
  readonly duplicates: number;
  /** Crossings that cannot be stored, including conflicts: another crossing has their key. */
  readonly rejected: number;
  readonly conflicts: number;
  /** The reasons of the newly stored rejected messages. */
  readonly rejectedReasons: readonly string[];
}

/**
 * Stores messages in one transaction; it has committed when this returns. If this throws, nothing was stored, or, if
 * the connection broke during the commit, perhaps everything: a retry is right in both cases, since the key (journal,
 * sequence) makes every crossing count once. After an error whose policy is `later` the transaction may still be open:
 * `StoringConnection` then closes the connection.
 */
export async function storeMessages(
  client: ClientBase,
  caches: StoringCaches,
  messages: readonly MessageToStore[],
): Promise<StoreReport> {
  const prepared = await prepareRows(client, caches, messages);
  const { rows } = prepared;
  const isAllValid =
    prepared.rejected.length === 0 && messages.every(({ rejections }) => rejections.length === 0);
  if (isAllValid && (await storeNew(client, caches, rows))) {
    const outcomes = messages.map(() => 'stored' as const);
    return { outcomes, inserted: rows, duplicates: 0, rejected: 0, conflicts: 0, rejectedReasons: [] };
  }
  return commitOrRollBack(client, async () => {
    const { inserted, duplicates, conflicting, rejected } = await beginWithCrossings(
      client,
      caches,
      messages,
      prepared,
    );
    const { stored, full } = await storeAccounted(client, rejected);
    await recordConflicts(client, conflicting);
    return {
      outcomes: messages.map((_, index) => (full.has(index) ? 'full' : 'stored')),
      inserted,
      duplicates,
      rejected: prepared.rejected.length + conflicting.length,
      conflicts: conflicting.length,
      rejectedReasons: stored.map(({ reason }) => reason),
    };
  });
}

/** Commits the transaction that `work` begins, or rolls it back if `work` throws. */
export async function commitOrRollBack<Result>(
  client: ClientBase,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    /* A connection that hangs would not answer this either. */
    if (storingErrorPolicy(error) !== 'later') await client.query('rollback');
    throw error;
  }
}

/** What an open transaction has stored of messages, and what remains to be kept as rejected. */
interface StoredCrossings {
  readonly inserted: readonly CrossingRow[];
  readonly duplicates: number;
  readonly conflicting: readonly CrossingRow[];
  /** All rejected parts of the messages, conflicts included. */
  readonly rejected: readonly Rejected[];
}

/** Begins a transaction and stores the crossings of messages that are not in the table yet. */
export async function beginWithCrossings(
  client: ClientBase,
  caches: StoringCaches,
  messages: readonly MessageToStore[],
  { rows, rejected }: PreparedRows,
): Promise<StoredCrossings> {
  const [version, { inserted, conflicting }] = await Promise.all([
    beginStoring(client),
    storeMissing(client, rows),
  ]);
  if (rows.length + rejected.length > 0) requireAssignments(caches, version);
  const rejectedRows = [...rejected, ...conflicting.map((row) => ({ row, reason: conflict }))];
  return {
    inserted,
    duplicates: rows.length - inserted.length - conflicting.length,
    conflicting,
    rejected: [...messages.flatMap(rejectionsOf), ...rejectionsOfRows(messages, rejectedRows)],
  };
}

/** Throws if the cached assignments of devices are not those of the transaction; the caller then tries again. */
function requireAssignments({ stores }: StoringCaches, version: string): void {
  if (version === stores.version) return;
  stores.clear();
  throw new ChangedMeanwhile('devices have moved meanwhile');
}

/**
 * Stores rejected messages, and records that their sequences are accounted for. The sequences of conflicts are stored
 * already.
 */
async function storeAccounted(client: ClientBase, rejected: readonly Rejected[]): Promise<StoredRejected> {
  const result = await storeRejected(client, rejected);
  const accounted = rejected.flatMap(({ message, deviceId, reason, entries }) =>
    entries === undefined || reason === conflict || result.full.has(message) ? [] : { deviceId, ...entries },
  );
  await accountRejected(client, accounted);
  return result;
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
