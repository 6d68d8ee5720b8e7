import type { MessageToStore } from '@visitor-counter/database/ingest/store-messages';
import { rejectionsByReason } from '@visitor-counter/database/rejected/rejected-entries';
import { maxRejectedPerDevice } from '@visitor-counter/database/rejected/store-rejected';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import { decodeCrossings } from '@visitor-counter/wire/crossings-message';
import { decodeDiagnosis } from '@visitor-counter/wire/diagnosis-message';
import { decodeHeartbeat, type Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import type { UnitChannel } from '@visitor-counter/wire/topics';
import { decodeStatus } from '@visitor-counter/wire/topics';
import type { DeviceStates, Sender, StateParts } from '../devices/device-states.ts';
import type { NoteBacklog } from '../metrics/gateway-instruments.ts';
import type { IngestInstruments } from '../metrics/ingest-instruments.ts';
import type { GroupCommitter } from './group-committer.ts';
import type { IngestResult } from './ingest-result.ts';

export interface ReceiverOptions {
  readonly committer: GroupCommitter;
  readonly states: DeviceStates;
  readonly answers: Answers;
  readonly instruments: IngestInstruments;
  readonly noteBacklog: NoteBacklog;
  /** The device has as many rejected messages as it may have, and its message was not acknowledged. */
  readonly onFull?: (sender: Sender) => void;
  /** How old a crossing may be when it arrives (ms). */
  readonly maxAge: number;
  readonly log: Logger;
}

/** Sends messages to a device in answer to its own. */
export interface Answers {
  /** A heartbeat has arrived at `now` (epoch ms); undefined if it cannot be decoded. */
  heartbeat(sender: Sender, now: number, heartbeat: Heartbeat | undefined): void;
  /** Crossings were committed, or kept as rejected messages. */
  committed?(sender: Sender, covers: SequenceRange): void;
}

/** A message that a device may publish. */
export interface Received {
  readonly channel: UnitChannel;
  readonly topic: string;
  readonly payload: Uint8Array;
}

/**
 * Decodes and stores the messages of all channels, with any broker. Payloads that cannot be decoded are kept as rejected
 * messages.
 *
 * Nothing that waits for the database refers to the payload, which is a view of a socket's chunk: it would keep the
 * whole chunk in memory, outside of every limit. So no method that receives a payload is async.
 */
export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #log: BoundedLog;

  constructor(options: ReceiverOptions) {
    this.#options = options;
    this.#log = new BoundedLog(options.log);
  }

  /** Resolves with the result when the message is durable, or when it is given up. Throws on a bug in decoding. */
  receive(sender: Sender, message: Received): Promise<IngestResult> {
    const now = Date.now();
    this.#options.states.noteActivity(sender.deviceId, now);
    if (message.channel === 'crossings') return this.#receiveCrossings(sender, message, now);
    if (message.channel === 'status') return this.#receiveStatus(sender, message, now);
    if (message.channel === 'diagnosis') return this.#receiveDiagnosis(sender, message);
    return this.#receiveHeartbeat(sender, message, now);
  }

  #receiveCrossings(sender: Sender, message: Received, now: number): Promise<IngestResult> {
    const origin = { deviceId: sender.deviceId, topic: message.topic };
    const crossings = readCrossings(origin, message.payload, now, this.#options.maxAge);
    return this.#store(sender, message.channel, crossings, message.payload.length);
  }

  #receiveStatus(sender: Sender, message: Received, now: number): Promise<IngestResult> {
    const status = decodeStatus(message.payload);
    if (status === undefined) return this.#reject(sender, message, 'expected online or offline');
    const { generation } = sender;
    return this.#note(sender, message, { status: { online: status === 'online', at: now, generation } });
  }

  #receiveHeartbeat(sender: Sender, message: Received, now: number): Promise<IngestResult> {
    const { answers, noteBacklog } = this.#options;
    const read = readHeartbeat(message.payload);
    answers.heartbeat(sender, now, 'malformed' in read ? undefined : read.heartbeat);
    if ('malformed' in read) return this.#reject(sender, message, read.malformed);
    if (read.pending !== undefined) noteBacklog(sender.serial, read.pending);
    return this.#note(sender, message, { heartbeat: { at: now, json: read.json } });
  }

  #receiveDiagnosis(sender: Sender, message: Received): Promise<IngestResult> {
    const diagnosis = decodeDiagnosis(message.payload);
    if ('malformed' in diagnosis) return this.#reject(sender, message, diagnosis.malformed);
    const { id: commandId, ...report } = diagnosis;
    return this.#note(sender, message, { diagnosis: { commandId, json: readableJson(report) } });
  }

  #reject(sender: Sender, { channel, topic, payload }: Received, reason: string): Promise<IngestResult> {
    const message = malformed({ deviceId: sender.deviceId, topic }, payload, reason);
    return this.#store(sender, channel, { message }, payload.length);
  }

  #note(sender: Sender, { channel, payload }: Received, parts: StateParts): Promise<IngestResult> {
    const { instruments, states } = this.#options;
    instruments.received(channel, 0);
    return this.#finish(sender, channel, states.noteDurably(sender.deviceId, parts, payload.length));
  }

  #store(
    sender: Sender,
    channel: UnitChannel,
    { message, covers }: ReadCrossings,
    payloadBytes: number,
  ): Promise<IngestResult> {
    const { committer, instruments } = this.#options;
    instruments.received(channel, message.batch?.crossings.length ?? 0);
    return this.#finish(sender, channel, committer.submit(message, payloadBytes), covers);
  }

  async #finish(
    sender: Sender,
    channel: UnitChannel,
    storing: Promise<IngestResult>,
    covers?: SequenceRange,
  ): Promise<IngestResult> {
    const { answers, instruments, onFull } = this.#options;
    const result = await storing;
    if (result === 'stored') {
      if (covers) answers.committed?.(sender, covers);
      return result;
    }
    instruments.unacknowledged(result);
    if (result === 'full') onFull?.(sender);
    logNotStored(this.#log, sender.serial, channel, result);
    return result;
  }
}

/** A device with too many rejected messages needs an operator. In the other cases the unit sends the message again. */
function logNotStored(log: BoundedLog, serial: string, channel: string, result: IngestResult): void {
  if (result === 'full') {
    const help = `see npx pnpm admin rejected list --device ${serial}, then retry or discard`;
    log.write(
      'error',
      { serial, kept: maxRejectedPerDevice, help },
      'too many rejected messages of a device: further ones are not acknowledged',
    );
    return;
  }
  const level = result === 'unstorable' ? 'error' : 'warn';
  log.write(level, { serial, channel, result }, 'message not stored');
}

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
