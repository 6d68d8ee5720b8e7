import type { MessageToStore } from '@visitor-counter/database/ingest/store-messages';
import { rejectionsByReason } from '@visitor-counter/database/rejected/rejected-entries';
import { decodeCrossings } from '@visitor-counter/wire/crossings-message';

/** Where a payload comes from. */
export interface Origin {
  readonly deviceId: number;
  readonly topic: string;
}

export interface ReadCrossings {
  readonly message: MessageToStore;
  /** The sequences of all its entries, those that cannot be stored included; missing when none could be read. */
  readonly covers?: { readonly journal: string; readonly first: number; readonly last: number };
}

/**
 * Reads a payload of the crossings channel that arrives at `now` (epoch ms). Entries that cannot be stored, among them
 * those that are more than `maxAge` ms old, become rejections.
 */
export function readCrossings(
  origin: Origin,
  payload: Uint8Array,
  now: number,
  maxAge: number,
): ReadCrossings {
  const decoded = decodeCrossings(payload, now, maxAge);
  if ('malformed' in decoded) return { message: malformed(origin, payload, decoded.malformed) };
  const { journal, valid, refused } = decoded;
  const { deviceId, topic } = origin;
  const rejections = rejectionsByReason(journal, refused);
  const first = Math.min(valid[0]?.sequence ?? Infinity, refused[0]?.sequence ?? Infinity);
  const covers = { journal, first, last: first + valid.length + refused.length - 1 };
  if (valid.length === 0) return { message: { deviceId, topic, rejections }, covers };
  return { message: { deviceId, topic, batch: { journal, crossings: valid }, rejections }, covers };
}

/** A payload that cannot be read at all is kept byte for byte. */
export function malformed({ deviceId, topic }: Origin, payload: Uint8Array, reason: string): MessageToStore {
  return { deviceId, topic, rejections: [{ reason: `malformed: ${reason}`, payload: Buffer.from(payload) }] };
}
