import { decodeHeartbeat, type Heartbeat } from '@visitor-counter/wire/heartbeat-message';

/** `pending`: how many crossings the unit has recorded that are not acknowledged; undefined where it does not report that. */
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
  return { heartbeat, json: withoutOddEscapes(JSON.stringify(heartbeat)), pending: pendingOf(heartbeat) };
}

/**
 * PostgreSQL stores the escapes of NUL and of lone surrogates, and afterwards reads no field at all of JSON that has one.
 * What follows an escaped backslash is no escape.
 */
function withoutOddEscapes(json: string): string {
  return json.replace(/\\\\|\\u(?:0000|d[89a-f]..)/g, (found) => (found === '\\\\' ? found : '\ufffd'));
}

function pendingOf({ recorded, acknowledged }: Heartbeat): number | undefined {
  return recorded === undefined || acknowledged === undefined
    ? undefined
    : Math.max(0, recorded - acknowledged);
}
