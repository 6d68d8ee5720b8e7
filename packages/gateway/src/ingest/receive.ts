import { maxKeptPerDevice } from '@visitor-counter/database/ingest/keep-rejected';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import type { Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import { decodeStatus } from '@visitor-counter/wire/status-message';
import type { UnitChannel } from '@visitor-counter/wire/topics';
import type { NoteBacklog } from '../metrics/backlog.ts';
import type { IngestInstruments } from '../metrics/ingest-instruments.ts';
import type { DeviceStates } from '../state/device-states.ts';
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
 * What is done with the messages of each channel, whichever broker took them. What cannot be read is kept
 * as rejected.
 */
export function receiver(options: ReceiverOptions): Receive {
  const { committer, states, answers, instruments, noteBacklog } = options;
  const log = new BoundedLog(options.log);
  return (sender, message, done) => {
    const now = Date.now();
    const { deviceId, serial, generation } = sender;
    const { channel, topic, payload } = message;
    states.note(deviceId, { activityAt: now });
    if (channel === 'crossings') return store(readCrossings({ deviceId, topic }, payload, now));
    if (channel === 'heartbeat') {
      const read = readHeartbeat(payload);
      const heartbeat = 'malformed' in read ? undefined : read.heartbeat;
      answers.heartbeat(sender, now, heartbeat);
      if ('malformed' in read) return keep(read.malformed);
      states.note(deviceId, { heartbeat: { at: now, json: read.json } });
      noteBacklog(serial, read.pending);
      instruments.received(channel, 0);
      return done();
    }
    const status = decodeStatus(payload);
    if (status === undefined) return keep('expected online or offline');
    instruments.received(channel, 0);
    states.note(deviceId, { status: { online: status === 'online', at: now, generation } });
    done();

    function keep(reason: string): void {
      store({ message: malformed({ deviceId, topic }, payload, reason) });
    }

    function store({ message: toStore, covers }: ReadCrossings): void {
      instruments.received(channel, toStore.batch?.crossings.length ?? 0);
      committer.submit(toStore, sender, payload.length, (outcome) => {
        if (outcome === 'stored') {
          if (covers) answers.settled?.(sender, covers);
          return done();
        }
        instruments.unacknowledged(outcome);
        logNotStored(log, { serial, channel, outcome });
        done(new NotStored(outcome));
      });
    }
  };
}

/** A device without room waits for an operator; what is late or too much comes again by itself. */
function logNotStored(log: BoundedLog, facts: { serial: string; channel: string; outcome: Outcome }): void {
  const { serial, channel, outcome } = facts;
  if (outcome === 'full') {
    const help = `see npx pnpm admin rejected list --device ${serial}, then retry or discard`;
    log.write('error', { serial, kept: maxKeptPerDevice, help }, 'device full: nothing more of it is kept');
    return;
  }
  const level = outcome === 'unstorable' ? 'error' : 'warn';
  log.write(level, { serial, channel, outcome }, 'not stored');
}
