import type { MessageToStore } from '@visitor-counter/database/ingest/store-messages';
import { maxRejectedPerDevice, rejectionsByReason } from '@visitor-counter/database/rejected/store-rejected';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import { decodeCrossings } from '@visitor-counter/wire/crossings-message';
import { decodeDiagnosis } from '@visitor-counter/wire/diagnosis-message';
import { decodeHeartbeat } from '@visitor-counter/wire/heartbeat-message';
import { decodeStatus, type UnitChannel } from '@visitor-counter/wire/topics';
import type { DeviceStates, StateParts } from '../devices/device-states.ts';
import type { JournalReports } from '../journals/compare-journals.ts';
import { journalReports } from '../journals/journal-report.ts';
import type { GatewayInstruments } from '../metrics/gateway-instruments.ts';
import type { GroupCommitter } from './group-committer.ts';
import type { IngestResult } from './isolate-failing-message.ts';

/** The device that has sent a message. */
export interface Sender {
  readonly deviceId: number;
  readonly serial: string;
}

interface ReceiverOptions {
  readonly committer: GroupCommitter;
  readonly states: DeviceStates;
  /** What heartbeats say about journals. */
  readonly reports: JournalReports;
  readonly instruments: GatewayInstruments;
  readonly log: BoundedLog;
}

/** A message that a device may publish. */
interface Received {
  readonly channel: UnitChannel;
  readonly topic: string;
  readonly payload: Uint8Array;
}

/**
 * Decodes and stores the messages of all channels. Payloads that cannot be decoded are kept as rejected
 * messages.
 *
 * Nothing that waits for the database refers to the payload, which is a view of a socket's chunk: it would keep the
 * whole chunk in memory, outside of every limit. So no method that receives a payload is async.
 */
export class Receiver {
  readonly #options: ReceiverOptions;

  constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  /** Resolves with the result when the message is durable, or when it is given up. Throws on a bug in decoding. */
  receive(sender: Sender, message: Received): Promise<IngestResult> {
    const now = Date.now();
    this.#options.states.recordActivity(sender.deviceId, now);
    switch (message.channel) {
      case 'crossings':
        return this.#receiveCrossings(sender, message, now);
      case 'heartbeat':
        return this.#receiveHeartbeat(sender, message, now);
      case 'status':
        return this.#receiveStatus(sender, message, now);
      case 'diagnosis':
        return this.#receiveDiagnosis(sender, message);
    }
  }

  /** Entries that cannot be stored become rejections. */
  #receiveCrossings(sender: Sender, message: Received, now: number): Promise<IngestResult> {
    const { deviceId } = sender;
    const { topic, payload } = message;
    const decoded = decodeCrossings(payload, now);
    if ('malformed' in decoded) return this.#reject(sender, message, decoded.malformed);
    const { journal, valid, rejected } = decoded;
    const rejections = rejectionsByReason(journal, rejected);
    const batch = valid.length > 0 && { batch: { journal, crossings: valid } };
    return this.#store(sender, message, { deviceId, topic, ...batch, rejections });
  }

  #receiveStatus(sender: Sender, message: Received, now: number): Promise<IngestResult> {
    const status = decodeStatus(message.payload);
    if (status === undefined) return this.#reject(sender, message, 'expected online or offline');
    return this.#recordState(sender, message, { status: { online: status === 'online', at: now } });
  }

  #receiveHeartbeat(sender: Sender, message: Received, now: number): Promise<IngestResult> {
    const { reports, instruments } = this.#options;
    const decoded = decodeHeartbeat(message.payload);
    if ('malformed' in decoded) return this.#reject(sender, message, decoded.malformed);
    const { heartbeat } = decoded;
    for (const report of journalReports(sender, heartbeat)) reports.add(report);
    const { recorded, acknowledged, held = 0 } = heartbeat;
    if (recorded !== undefined && acknowledged !== undefined)
      instruments.recordPending(sender.serial, Math.max(0, recorded - acknowledged) + held);
    return this.#recordState(sender, message, { heartbeat: { at: now, json: readableJson(heartbeat) } });
  }

  #receiveDiagnosis(sender: Sender, message: Received): Promise<IngestResult> {
    const diagnosis = decodeDiagnosis(message.payload);
    if ('malformed' in diagnosis) return this.#reject(sender, message, diagnosis.malformed);
    const { id: commandId, ...report } = diagnosis;
    return this.#recordState(sender, message, { diagnoses: [{ commandId, json: readableJson(report) }] });
  }

  /** A payload that cannot be decoded becomes a rejected message with the same bytes. */
  #reject(sender: Sender, message: Received, reason: string): Promise<IngestResult> {
    const rejections = [{ reason: `malformed: ${reason}`, payload: Buffer.from(message.payload) }];
    return this.#store(sender, message, { deviceId: sender.deviceId, topic: message.topic, rejections });
  }

  #recordState(sender: Sender, { channel, payload }: Received, parts: StateParts): Promise<IngestResult> {
    const { instruments, states } = this.#options;
    instruments.ingest.received(channel, 0);
    return this.#finish(sender, channel, states.recordDurably(sender.deviceId, parts, payload.length));
  }

  #store(sender: Sender, { channel, payload }: Received, message: MessageToStore): Promise<IngestResult> {
    const { committer, instruments } = this.#options;
    instruments.ingest.received(channel, message.batch?.crossings.length ?? 0);
    return this.#finish(sender, channel, committer.submit(message, payload.length));
  }

  async #finish(sender: Sender, channel: UnitChannel, storing: Promise<IngestResult>): Promise<IngestResult> {
    const { instruments, log } = this.#options;
    const result = await storing;
    if (result === 'stored') return result;
    instruments.ingest.unacknowledged(result);
    logNotStored(log, sender.serial, channel, result);
    return result;
  }
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
