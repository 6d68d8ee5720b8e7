import { rejectionsByReason } from '@visitor-counter/database/ingest/rejected-entries';
import type { MessageToStore } from '@visitor-counter/database/ingest/store-messages';
import { decodeCrossings } from '@visitor-counter/wire/crossings-message';

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
  const rejections = rejectionsByReason(journal, refused);
  if (valid.length === 0) return { deviceId, topic, rejections };
  return { deviceId, topic, batch: { journal, crossings: valid }, rejections };
}

/** A payload that cannot be read at all is kept byte for byte. */
export function malformed({ deviceId, topic }: Origin, payload: Uint8Array, reason: string): MessageToStore {
  return { deviceId, topic, rejections: [{ reason: `malformed: ${reason}`, payload: Buffer.from(payload) }] };
}
