import { maxKeptPerDevice } from '@visitor-counter/database/rejected/keep-rejected';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import { decodeDiagnosis } from '@visitor-counter/wire/diagnosis-message';
import type { Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import { decodeStatus } from '@visitor-counter/wire/status-message';
import type { UnitChannel } from '@visitor-counter/wire/topics';
import type { DeviceStates, Parts } from '../devices/device-states.ts';
import type { Sender } from '../devices/sender.ts';
import type { NoteBacklog } from '../metrics/backlog.ts';
import type { IngestInstruments } from '../metrics/ingest-instruments.ts';
import type { GroupCommitter } from './group-committer.ts';
import type { Outcome } from './ingest-result.ts';
import { malformed, type ReadCrossings, readCrossings } from './read-crossings.ts';
import { readHeartbeat } from './read-heartbeat.ts';
import { readableJson } from './readable-json.ts';

export interface ReceiverOptions {
  readonly committer: GroupCommitter;
  readonly states: DeviceStates;
  readonly answers: Answers;
  readonly instruments: IngestInstruments;
  readonly noteBacklog: NoteBacklog;
  /** A message was not acknowledged because as much as possible is kept as rejected for its device. */
  readonly onFull?: (sender: Sender) => void;
  /** How old a crossing may be when it arrives (ms). */
  readonly maxAge: number;
  readonly log: Logger;
}

/** What a device is told in answer to its messages. */
export interface Answers {
  /** To a heartbeat, readable or not; `now` is epoch ms. */
  heartbeat(sender: Sender, now: number, heartbeat: Heartbeat | undefined): void;
  /** To crossings, all of which are durable now, as crossings or among the rejected. */
  settled?(sender: Sender, covers: NonNullable<ReadCrossings['covers']>): void;
}

/** A message was not stored, and so must not be acknowledged. */
export class NotStored extends Error {
  override readonly name = 'NotStored';
  readonly code = 'not-stored';
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super(`not stored: ${outcome}`);
    this.outcome = outcome;
  }
}

/** What a device has published within its rights. */
export interface Received {
  readonly channel: UnitChannel;
  readonly topic: string;
  readonly payload: Uint8Array;
}

/** Calls back without an error when the message may be acknowledged. */
export type Receive = (sender: Sender, message: Received, done: (error?: Error) => void) => void;

/**
 * What is done with the messages of each channel, whichever broker took them: each is acknowledged when what it
 * says is durable. What cannot be read is kept as rejected.
 */
export function receiver(options: ReceiverOptions): Receive {
  const messages = new Messages(options);
  return (sender, message, done) => messages.receive(sender, message, done);
}

type Done = (error?: Error) => void;

/** Nothing that waits for a transaction holds on to a payload: it is a view on what was read from a socket. */
class Messages {
  readonly #options: ReceiverOptions;
  readonly #log: BoundedLog;

  constructor(options: ReceiverOptions) {
    this.#options = options;
    this.#log = new BoundedLog(options.log);
  }

  receive(sender: Sender, message: Received, done: Done): void {
    const now = Date.now();
    this.#options.states.noteActivity(sender.deviceId, now);
    if (message.channel === 'crossings') this.#receiveCrossings(sender, message, now, done);
    else if (message.channel === 'status') this.#receiveStatus(sender, message, now, done);
    else if (message.channel === 'diagnosis') this.#receiveDiagnosis(sender, message, done);
    else this.#receiveHeartbeat(sender, message, now, done);
  }

  #receiveCrossings(sender: Sender, message: Received, now: number, done: Done): void {
    const origin = { deviceId: sender.deviceId, topic: message.topic };
    this.#store(sender, message, readCrossings(origin, message.payload, now, this.#options.maxAge), done);
  }

  #receiveStatus(sender: Sender, message: Received, now: number, done: Done): void {
    const status = decodeStatus(message.payload);
    if (status === undefined) {
      this.#reject(sender, message, 'expected online or offline', done);
      return;
    }
    const { generation } = sender;
    this.#note(sender, message, { status: { online: status === 'online', at: now, generation } }, done);
  }

  #receiveHeartbeat(sender: Sender, message: Received, now: number, done: Done): void {
    const { answers, noteBacklog } = this.#options;
    const read = readHeartbeat(message.payload);
    answers.heartbeat(sender, now, 'malformed' in read ? undefined : read.heartbeat);
    if ('malformed' in read) {
      this.#reject(sender, message, read.malformed, done);
      return;
    }
    if (read.pending !== undefined) noteBacklog(sender.serial, read.pending);
    this.#note(sender, message, { heartbeat: { at: now, json: read.json } }, done);
  }

  #receiveDiagnosis(sender: Sender, message: Received, done: Done): void {
    const diagnosis = decodeDiagnosis(message.payload);
    if ('malformed' in diagnosis) this.#reject(sender, message, diagnosis.malformed, done);
    else {
      const { id: commandId, ...report } = diagnosis;
      this.#note(sender, message, { diagnosis: { commandId, json: readableJson(report) } }, done);
    }
  }

  #reject(sender: Sender, message: Received, reason: string, done: Done): void {
    const origin = { deviceId: sender.deviceId, topic: message.topic };
    this.#store(sender, message, { message: malformed(origin, message.payload, reason) }, done);
  }

  #note(sender: Sender, { channel, payload }: Received, parts: Parts, done: Done): void {
    const { instruments, states } = this.#options;
    instruments.received(channel, 0);
    states.noteDurably(sender, parts, payload.length, (outcome) =>
      this.#settle(sender, channel, outcome, done),
    );
  }

  #store(
    sender: Sender,
    { channel, payload }: Received,
    { message, covers }: ReadCrossings,
    done: Done,
  ): void {
    const { committer, answers, instruments } = this.#options;
    instruments.received(channel, message.batch?.crossings.length ?? 0);
    committer.submit(message, sender, payload.length, (outcome) => {
      if (outcome === 'stored' && covers) answers.settled?.(sender, covers);
      this.#settle(sender, channel, outcome, done);
    });
  }

  #settle(sender: Sender, channel: UnitChannel, outcome: Outcome, done: Done): void {
    if (outcome === 'stored') {
      done();
      return;
    }
    this.#options.instruments.unacknowledged(outcome);
    if (outcome === 'full') this.#options.onFull?.(sender);
    logNotStored(this.#log, sender.serial, channel, outcome);
    done(new NotStored(outcome));
  }
}

/** A device without room waits for an operator; what is late or too much comes again by itself. */
function logNotStored(log: BoundedLog, serial: string, channel: string, outcome: Outcome): void {
  if (outcome === 'full') {
    const help = `see npx pnpm admin rejected list --device ${serial}, then retry or discard`;
    log.write(
      'error',
      { serial, kept: maxKeptPerDevice, help },
      'too many rejected messages of a device: further ones are not acknowledged',
    );
    return;
  }
  const level = outcome === 'unstorable' ? 'error' : 'warn';
  log.write(level, { serial, channel, outcome }, 'not stored');
}
