import type { MessageToStore } from '@visitor-counter/database/ingest/store-messages';
import { rejectionsByReason } from '@visitor-counter/database/rejected/rejected-entries';
import { decodeCrossings, judgeEntries, type RefusedEntry } from '@visitor-counter/wire/crossings-message';
import { parseJsonPayload } from '@visitor-counter/wire/json-payload';
import { parseTopic } from '@visitor-counter/wire/topics';
import Type from 'typebox';
import { Compile } from 'typebox/compile';

/** What is known of a rejected message when it is tried again. */
export interface KeptMessage {
  readonly deviceId: number;
  readonly topic: string;
  readonly reason: string;
  readonly payload: Buffer;
}

export type ReadRejected = { readonly message: MessageToStore } | { readonly unfit: string };

const KeptEntries = Type.Object({
  journal: Type.String(),
  entries: Type.Array(Type.Tuple([Type.Integer(), Type.Unknown()])),
});

const keptEntries = Compile(KeptEntries);

/** The entries of a crossings message that were kept, each with its sequence; undefined for other payloads. */
export function entriesOf(reason: string, payload: Uint8Array) {
  if (reason.startsWith('malformed:')) return undefined;
  const parsed = parseJsonPayload(payload);
  return 'value' in parsed && keptEntries.Check(parsed.value) ? parsed.value : undefined;
}

/**
 * Reads a kept message as the gateway reads one that arrives; `now` is epoch ms. Only crossings are tried
 * again: a heartbeat or a status of the past says nothing about now.
 */
export function readRejected({ deviceId, topic, reason, payload }: KeptMessage, now: number): ReadRejected {
  if (parseTopic(topic)?.channel !== 'crossings')
    return { unfit: 'no crossings: only those can be tried again' };
  const kept = entriesOf(reason, payload);
  const decoded = kept
    ? { journal: kept.journal, ...judgeEntries(kept.entries, now) }
    : decodeCrossings(payload, now);
  if ('malformed' in decoded) {
    return {
      message: { deviceId, topic, rejections: [{ reason: `malformed: ${decoded.malformed}`, payload }] },
    };
  }
  return { message: toStore({ deviceId, topic }, decoded) };
}

function toStore(
  origin: Pick<MessageToStore, 'deviceId' | 'topic'>,
  { journal, valid, refused }: { journal: string; valid: Crossings; refused: readonly RefusedEntry[] },
): MessageToStore {
  const rejections = rejectionsByReason(journal, refused);
  return valid.length === 0
    ? { ...origin, rejections }
    : { ...origin, batch: { journal, crossings: valid }, rejections };
}

type Crossings = NonNullable<MessageToStore['batch']>['crossings'];
