import { contentOf, type MessageContent } from '@visitor-counter/database/ingest/store-messages';
import { malformed, maxRejectedPerDevice } from '@visitor-counter/database/rejected/store-rejected';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import { decodeCrossings } from '@visitor-counter/wire/crossings-message';
import { decodeDiagnosis } from '@visitor-counter/wire/diagnosis-message';
import { decodeHeartbeat } from '@visitor-counter/wire/heartbeat-message';
import { pendingCrossings } from '@visitor-counter/wire/stored-heartbeat';
import { decodeStatus, type UnitChannel } from '@visitor-counter/wire/topics';
import type { DeviceStates, StateParts } from '../devices/device-states.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import type { GroupCommitter } from './group-committer.ts';
import type { IngestResult } from './isolate-failing-message.ts';

/** The device that has sent a message. */
export interface Sender {
  readonly deviceId: number;
  readonly serial: string;
}

interface ReceiverParts extends GatewayParts {
  readonly committer: GroupCommitter;
  readonly states: DeviceStates;
}

/** A message that a device may publish. */
interface Received {
  readonly sender: Sender;
  readonly channel: UnitChannel;
  readonly topic: string;
  readonly payload: Uint8Array;
}

/** Resolves with the result when the message is durable, or when it is given up. Throws on a bug in decoding. */
export type Receive = (message: Received) => Promise<IngestResult>;

/**
 * Decodes and stores the messages of all channels. Payloads that cannot be decoded are kept as rejected
 * messages.
 *
 * Nothing that waits for the database refers to the payload, which is a view of a socket's chunk: it would keep the
 * whole chunk in memory, outside of every limit. So no function that receives a payload is async.
 */
export function receiver(parts: ReceiverParts): Receive {
  return (message) => {
    const now = Date.now();
    parts.states.recordActivity(message.sender.deviceId, now);
    switch (message.channel) {
      case 'crossings':
        return receiveCrossings(parts, message, now);
      case 'heartbeat':
        return receiveHeartbeat(parts, message, now);
      case 'status':
        return receiveStatus(parts, message, now);
      case 'diagnosis':
        return receiveDiagnosis(parts, message);
    }
  };
}

function receiveCrossings(parts: ReceiverParts, message: Received, now: number): Promise<IngestResult> {
  const { payload } = message;
  return store(parts, message, contentOf(decodeCrossings(payload, now), payload));
}

function receiveStatus(parts: ReceiverParts, message: Received, now: number): Promise<IngestResult> {
  const status = decodeStatus(message.payload);
  if (status === undefined) return reject(parts, message, 'expected online or offline');
  return recordState(parts, message, { status: { online: status === 'online', at: now } });
}

function receiveHeartbeat(parts: ReceiverParts, message: Received, now: number): Promise<IngestResult> {
  const decoded = decodeHeartbeat(message.payload);
  if ('malformed' in decoded) return reject(parts, message, decoded.malformed);
  const { heartbeat } = decoded;
  const pending = pendingCrossings(heartbeat);
  if (pending !== undefined) parts.instruments.recordPending(message.sender.serial, pending);
  return recordState(parts, message, { heartbeat: { at: now, json: readableJson(heartbeat) } });
}

function receiveDiagnosis(parts: ReceiverParts, message: Received): Promise<IngestResult> {
  const diagnosis = decodeDiagnosis(message.payload);
  if ('malformed' in diagnosis) return reject(parts, message, diagnosis.malformed);
  const { id: commandId, ...report } = diagnosis;
  return recordState(parts, message, { diagnoses: [{ commandId, json: readableJson(report) }] });
}

/** A payload that cannot be decoded becomes a rejected message with the same bytes. */
function reject(parts: ReceiverParts, message: Received, reason: string): Promise<IngestResult> {
  return store(parts, message, { rejections: [malformed(reason, message.payload)] });
}

function recordState(parts: ReceiverParts, message: Received, state: StateParts): Promise<IngestResult> {
  const { sender, channel, payload } = message;
  parts.instruments.ingest.received(channel, 0);
  return finish(parts, sender, channel, parts.states.recordDurably(sender.deviceId, state, payload.length));
}

function store(
  parts: ReceiverParts,
  { sender, channel, topic, payload }: Received,
  content: MessageContent,
): Promise<IngestResult> {
  parts.instruments.ingest.received(channel, content.batch?.crossings.length ?? 0);
  const { deviceId } = sender;
  return finish(
    parts,
    sender,
    channel,
    parts.committer.submit({ deviceId, topic, ...content }, payload.length),
  );
}

async function finish(
  { instruments, log }: ReceiverParts,
  { serial }: Sender,
  channel: UnitChannel,
  storing: Promise<IngestResult>,
): Promise<IngestResult> {
  const result = await storing;
  if (result === 'stored') return result;
  instruments.ingest.unacknowledged(result);
  logNotStored(log, serial, channel, result);
  return result;
}

/** A device with too many rejected messages needs an operator. In the other cases the unit sends the message again. */
function logNotStored(log: BoundedLog, serial: string, channel: string, result: IngestResult): void {
  if (result === 'full') {
    const help = `see the command rejected list --device ${serial}; then retry or discard`;
    log.write(
      'error',
      { serial, limit: maxRejectedPerDevice, help },
      'too many rejected messages of a device: further ones are not acknowledged',
    );
    return;
  }
  const level = result === 'unstorable' ? 'error' : 'warn';
  log.write(level, { serial, channel, result }, 'message not stored');
}

/**
 * JSON that PostgreSQL can read again. It stores the escapes of NUL and of lone surrogates, but cannot read a field of
 * JSON that contains one: they become U+FFFD. After an escaped backslash, the same letters are plain text.
 */
function readableJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\\\|\\u(?:0000|d[89a-f]..)/g, (found) =>
    found === '\\\\' ? found : '\ufffd',
  );
}
