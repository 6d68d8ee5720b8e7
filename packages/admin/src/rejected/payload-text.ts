import { parseJsonPayload } from '@visitor-counter/wire/json-payload';
import { plain, table } from '../command/text.ts';
import { entriesOf } from './read-rejected.ts';

/** A rejected payload for people: its crossings, else its JSON, else its text or its bytes. */
export function payloadText(reason: string, payload: Buffer): string {
  const rejected = entriesOf(reason, payload);
  if (rejected) {
    const rows = rejected.entries.map(([sequence, entry]) => [String(sequence), ...entryCells(entry)]);
    return `journal ${plain(rejected.journal)}\n${table(['SEQUENCE', 'INSTANT', 'DIRECTION', 'AS SENT'], rows)}`;
  }
  if (payload.length === 0) return '(no bytes)';
  const parsed = parseJsonPayload(payload);
  if ('value' in parsed && typeof parsed.value === 'object') return jsonText(parsed.value, payload);
  const isText = 'value' in parsed || parsed.problem !== 'not UTF-8';
  return isText ? plain(payload.toString()) : payload.toString('hex');
}

function jsonText(value: unknown, payload: Buffer): string {
  try {
    return plain(JSON.stringify(value, null, 2));
  } catch {
    /* Nested too deeply for JSON.stringify. */
    return plain(payload.toString());
  }
}

function entryCells(entry: unknown): string[] {
  const [at, direction] = Array.isArray(entry) ? entry : [];
  const instant = new Date(typeof at === 'number' ? at : Number.NaN);
  return [
    Number.isNaN(instant.getTime()) ? '-' : instant.toISOString(),
    direction === 1 ? 'in' : direction === -1 ? 'out' : '-',
    plain(JSON.stringify(entry)),
  ];
}
