import { maxKeptPerDevice } from '@visitor-counter/database/ingest/keep-rejected';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import type { Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import { decodeStatus } from '@visitor-counter/wire/status-message';
import type { UnitChannel } from '@visitor-counter/wire/topics';
import type { NoteBacklog } from '../metrics/backlog.ts';
import type { IngestInstruments } from '../metrics/ingest-instruments.ts';
import type { DeviceStates, Parts } from '../state/device-states.ts';
import type { GroupCommitter } from './group-committer.ts';
import type { Outcome } from './outcome.ts';
import { malformed, type ReadCrossings, readCrossings } from './read-crossings.ts';
import { readHeartbeat } from './read-heartbeat.ts';
import type { Sender } from './sender.ts';

export interface ReceiverOptions {
  readonly committer: GroupCommitter;
  readonly states: DeviceStates;
  readonly answers: Answers;
  readonly instruments: IngestInstruments;
  readonly noteBacklog: NoteBacklog;
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
  const { states, answers, instruments, noteBacklog } = options;
  const log = new BoundedLog(options.log);
  return (sender, message, done) => {
    const now = Date.now();
    const { deviceId, serial, generation } = sender;
    const { channel, topic, payload } = message;
    const origin = { deviceId, topic };
    const settle = (outcome: Outcome) => {
      if (outcome === 'stored') return done();
      instruments.unacknowledged(outcome);
      logNotStored(log, serial, channel, outcome);
      done(new NotStored(outcome));
    };
    const store = (read: ReadCrossings) => storeCrossings(options, sender, message, read, settle);
    const note = (parts: Parts) => {
      instruments.received(channel, 0);
      states.noteDurably(sender, parts, payload.length, settle);
    };
    states.note(deviceId, { activityAt: now });
    if (channel === 'crossings') return store(readCrossings(origin, payload, now));
    if (channel === 'status') {
      const status = decodeStatus(payload);
      return status === undefined
        ? store({ message: malformed(origin, payload, 'expected online or offline') })
        : note({ status: { online: status === 'online', at: now, generation } });
    }
    const read = readHeartbeat(payload);
    answers.heartbeat(sender, now, 'malformed' in read ? undefined : read.heartbeat);
    if ('malformed' in read) return store({ message: malformed(origin, payload, read.malformed) });
    noteBacklog(serial, read.pending);
    return note({ heartbeat: { at: now, json: read.json } });
  };
}

function storeCrossings(
  { committer, answers, instruments }: ReceiverOptions,
  sender: Sender,
  { channel, payload }: Received,
  { message, covers }: ReadCrossings,
  settle: (outcome: Outcome) => void,
): void {
  instruments.received(channel, message.batch?.crossings.length ?? 0);
  committer.submit(message, sender, payload.length, (outcome) => {
    if (outcome === 'stored' && covers) answers.settled?.(sender, covers);
    settle(outcome);
  });
}

/** A device without room waits for an operator; what is late or too much comes again by itself. */
function logNotStored(log: BoundedLog, serial: string, channel: string, outcome: Outcome): void {
  if (outcome === 'full') {
    const help = `see npx pnpm admin rejected list --device ${serial}, then retry or discard`;
    log.write('error', { serial, kept: maxKeptPerDevice, help }, 'device full: nothing more of it is kept');
    return;
  }
  const level = outcome === 'unstorable' ? 'error' : 'warn';
  log.write(level, { serial, channel, outcome }, 'not stored');
}
