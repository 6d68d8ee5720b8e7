import { decodeHeartbeat, type Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import { readableJson } from './readable-json.ts';

/** `pending`: how many crossings the unit has counted that are not acknowledged; undefined where it does not report that. */
export type ReadHeartbeat =
  | { readonly heartbeat: Heartbeat; readonly json: string; readonly pending: number | undefined }
  | { readonly malformed: string };

/**
 * Reads a payload of the heartbeat channel into JSON that PostgreSQL stores and can read again: written from the parsed
 * value, so that a byte order mark is gone, with U+FFFD for characters that are no text to PostgreSQL.
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
