import { encodeRejectedEntries } from '@visitor-counter/database/ingest/rejected-entries';
import type { MessageToStore } from '@visitor-counter/database/ingest/store-messages';
import { decodeCrossings, type RefusedEntry } from '@visitor-counter/wire/crossings-message';

/** Where a payload comes from. */
export interface Origin {
  readonly deviceId: number;
  readonly topic: string;
}

/** Reads a payload of the crossings channel; `now` is epoch ms. What cannot be stored is to be kept. */
export function readCrossings(origin: Origin, payload: Uint8Array, now: number): MessageToStore {
  const decoded = decodeCrossings(payload, now);
  if ('malformed' in decoded) return malformed(origin, payload, decoded.malformed);
  const { journal, valid, refused } = decoded;
  const { deviceId, topic } = origin;
  const rejections = rejectionsOf(journal, refused);
  if (valid.length === 0) return { deviceId, topic, rejections };
  return { deviceId, topic, batch: { journal, crossings: valid }, rejections };
}

/** A payload that cannot be read at all is kept byte for byte. */
export function malformed({ deviceId, topic }: Origin, payload: Uint8Array, reason: string): MessageToStore {
  return { deviceId, topic, rejections: [{ reason: `malformed: ${reason}`, payload: Buffer.from(payload) }] };
}

/** One for each reason, so that a thousand bad entries of a message are kept as one. */
function rejectionsOf(journal: string, refused: readonly RefusedEntry[]): MessageToStore['rejections'] {
  if (refused.length === 0) return [];
  const groups = Map.groupBy(refused, ({ reason }) => reason);
  return [...groups].map(([reason, entries]) => ({
    reason,
    payload: encodeRejectedEntries(
      journal,
      entries.map(({ sequence, entry }) => [sequence, readable(entry)]),
    ),
  }));
}

/** What can become a crossing at a later try is an array of numbers; anything else is kept as text. */
function readable(entry: unknown): unknown {
  return Array.isArray(entry) && entry.every((part) => typeof part === 'number') ? entry : textOf(entry);
}

const maxTextLength = 200;

function textOf(entry: unknown): string {
  try {
    return JSON.stringify(entry).slice(0, maxTextLength);
  } catch {
    return 'nested too deeply to be written';
  }
}
