import type { MessageToStore } from '@visitor-counter/database/ingest/store-messages';
import { rejectionsByReason } from '@visitor-counter/database/rejected/rejected-entries';
import { decodeCrossings } from '@visitor-counter/wire/crossings-message';
import { decodeHeartbeat, type Heartbeat } from '@visitor-counter/wire/heartbeat-message';

/** The device that has sent a payload, and the topic. */
export interface Origin {
  readonly deviceId: number;
  readonly topic: string;
}

export interface ReadCrossings {
  readonly message: MessageToStore;
  /** The sequences of all its entries, including those that cannot be stored; missing when none could be read. */
  readonly covers?: SequenceRange;
}

export interface SequenceRange {
  readonly journal: string;
  readonly first: number;
  readonly last: number;
}

/**
 * Reads a payload of the crossings channel that arrives at `now` (epoch ms). Entries that cannot be stored, including
 * those more than `maxAge` ms old, become rejections.
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

/** A payload that cannot be decoded becomes a rejected message with the same bytes. */
export function malformed({ deviceId, topic }: Origin, payload: Uint8Array, reason: string): MessageToStore {
  return { deviceId, topic, rejections: [{ reason: `malformed: ${reason}`, payload: Buffer.from(payload) }] };
}

/** `pending`: how many crossings are journaled and not acknowledged; undefined if the unit does not report it. */
export type ReadHeartbeat =
  | { readonly heartbeat: Heartbeat; readonly json: string; readonly pending: number | undefined }
  | { readonly malformed: string };

/**
 * Reads a payload of the heartbeat channel, and writes it as JSON that PostgreSQL can store and read: from the parsed
 * value, so without a byte order mark.
 */
export function readHeartbeat(payload: Uint8Array): ReadHeartbeat {
  const decoded = decodeHeartbeat(payload);
  if ('malformed' in decoded) return decoded;
  const { heartbeat } = decoded;
  return { heartbeat, json: readableJson(heartbeat), pending: pendingOf(heartbeat) };
}

function pendingOf({ recorded, acknowledged, held = 0 }: Heartbeat): number | undefined {
  if (recorded === undefined || acknowledged === undefined) return undefined;
  return Math.max(0, recorded - acknowledged) + held;
}

/**
 * JSON that PostgreSQL can read again. It stores the escapes of NUL and of lone surrogates, but cannot read a field of
 * JSON that contains one: they become U+FFFD. An escaped backslash before such letters is no escape.
 */
export function readableJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\\\|\\u(?:0000|d[89a-f]..)/g, (found) =>
    found === '\\\\' ? found : '\ufffd',
  );
}
