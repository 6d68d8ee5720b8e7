import { contentOf, type MessageToStore } from '@visitor-counter/database/ingest/store-messages';
import type { findRejected } from '@visitor-counter/database/rejected/rejected-messages';
import { utcText } from '@visitor-counter/domain/time';
import { decodeCrossings, validateEntries } from '@visitor-counter/wire/crossings-message';
import { parseJsonPayload } from '@visitor-counter/wire/json-payload';
import { parseTopic } from '@visitor-counter/wire/topics';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { onOneLine, table } from '../command/text.ts';

type FoundRejected = NonNullable<Awaited<ReturnType<typeof findRejected>>>;

const rejectedEntries = Compile(
  Type.Object({
    journal: Type.String(),
    entries: Type.Array(Type.Tuple([Type.Integer(), Type.Unknown()])),
  }),
);

/** The rejected entries of a crossings message, each with its sequence; undefined for other payloads. */
function entriesOf(reason: string, payload: Uint8Array) {
  if (reason.startsWith('malformed:')) return undefined;
  const parsed = parseJsonPayload(payload);
  return 'value' in parsed && rejectedEntries.Check(parsed.value) ? parsed.value : undefined;
}

/** Decodes a rejected payload as the gateway decodes a new one; `now` is epoch ms. */
export function decodeRejected(reason: string, payload: Uint8Array, now: number) {
  const rejected = entriesOf(reason, payload);
  if (rejected === undefined) return decodeCrossings(payload, now);
  return { journal: rejected.journal, ...validateEntries(rejected.entries, now) };
}

/**
 * Reads a rejected message as the gateway decodes a new one; `now` is epoch ms. Only crossings are retried: an old
 * heartbeat or status says nothing about now.
 */
export function readRejected(
  { deviceId, topic, reason, payload }: FoundRejected,
  now: number,
): { readonly message: MessageToStore } | { readonly notRetried: string } {
  if (parseTopic(topic)?.channel !== 'crossings')
    return { notRetried: 'no crossings: only those can be retried' };
  const content = contentOf(decodeRejected(reason, payload, now), payload);
  return { message: { deviceId, topic, ...content } };
}

/** A rejected payload for people: its crossings, else its JSON, else its text or its bytes. */
export function payloadText(reason: string, payload: Buffer): string {
  const rejected = entriesOf(reason, payload);
  if (rejected) {
    const rows = rejected.entries.map(([sequence, entry]) => [String(sequence), ...entryCells(entry)]);
    return `journal ${onOneLine(rejected.journal)}\n${table(['SEQUENCE', 'INSTANT', 'DIRECTION', 'AS SENT'], rows)}`;
  }
  if (payload.length === 0) return '(no bytes)';
  const parsed = parseJsonPayload(payload);
  if ('problem' in parsed) return payload.toString(parsed.problem === 'not UTF-8' ? 'hex' : 'utf8');
  try {
    return JSON.stringify(parsed.value, null, 2);
  } catch {
    /* Nested too deeply for JSON.stringify. */
    return payload.toString();
  }
}

function entryCells(entry: unknown): string[] {
  const [at, direction] = Array.isArray(entry) ? entry : [];
  const isInstant = typeof at === 'number' && !Number.isNaN(new Date(at).getTime());
  const way = direction === 1 ? 'in' : direction === -1 ? 'out' : '-';
  return [isInstant ? utcText(at) : '-', way, JSON.stringify(entry)];
}
