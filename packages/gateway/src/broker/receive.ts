import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import { decodeStatus } from '@visitor-counter/wire/status-message';
import type { UnitChannel } from '@visitor-counter/wire/topics';
import type { GroupCommitter } from '../ingest/group-committer.ts';
import type { Outcome } from '../ingest/outcome.ts';
import { malformed, readCrossings } from '../ingest/read-crossings.ts';
import { readHeartbeat } from '../ingest/read-heartbeat.ts';
import type { NoteBacklog } from '../metrics/backlog.ts';
import type { IngestInstruments } from '../metrics/ingest-instruments.ts';
import type { DeviceStates } from '../state/device-states.ts';
import type { Session } from './session.ts';

export interface ReceiverOptions {
  readonly committer: GroupCommitter;
  readonly states: DeviceStates;
  /** Tells a device what time it is (epoch ms). */
  readonly tellTime: (serial: string, now: number) => void;
  readonly instruments: IngestInstruments;
  readonly noteBacklog: NoteBacklog;
  readonly log: Logger;
}

/** A message was not stored, and so must not be acknowledged. */
export class NotStored extends Error {
  override readonly name = 'NotStored';
  readonly code = 'not-stored';

  constructor(outcome: Outcome) {
    super(`not stored: ${outcome}`);
  }
}

/** What a device has published within its rights. */
export interface Received {
  readonly channel: UnitChannel;
  readonly topic: string;
  readonly payload: Uint8Array;
}

/** Calls back without an error when the message may be acknowledged. */
export type Receive = (session: Session, message: Received, done: (error?: Error) => void) => void;

/** What is done with the messages of each channel. What cannot be read is kept as rejected. */
export function receiver(options: ReceiverOptions): Receive {
  const { committer, states, tellTime, instruments, noteBacklog } = options;
  const log = new BoundedLog(options.log);
  return (session, message, done) => {
    const now = Date.now();
    const { deviceId, serial, generation } = session;
    const { channel, topic, payload } = message;
    states.note(deviceId, { activityAt: now });
    if (channel === 'crossings') return store(readCrossings({ deviceId, topic }, payload, now));
    if (channel === 'heartbeat') {
      const heartbeat = readHeartbeat(payload);
      tellTime(serial, now);
      if ('malformed' in heartbeat) return keep(heartbeat.malformed);
      states.note(deviceId, { heartbeat: { at: now, json: heartbeat.json } });
      noteBacklog(serial, heartbeat.pending);
      instruments.received(channel, 0);
      return done();
    }
    const status = decodeStatus(payload);
    if (status === undefined) return keep('expected online or offline');
    instruments.received(channel, 0);
    states.note(deviceId, { status: { online: status === 'online', at: now, generation } });
    done();

    function keep(reason: string): void {
      store(malformed({ deviceId, topic }, payload, reason));
    }

    function store(toStore: ReturnType<typeof readCrossings>): void {
      instruments.received(channel, toStore.batch?.crossings.length ?? 0);
      committer.submit(toStore, session, payload.length, (outcome) => {
        if (outcome === 'stored') return done();
        instruments.unacknowledged(outcome);
        const level = outcome === 'late' || outcome === 'overloaded' ? 'warn' : 'error';
        log.write(level, { serial, channel, outcome }, 'not stored');
        done(new NotStored(outcome));
      });
    }
  };
}
