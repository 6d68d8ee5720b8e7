import { setTimeout as delay } from 'node:timers/promises';
import { type ExternalDevice, findExternalDevice } from '@visitor-counter/database/devices/connections';
import type { Database } from '@visitor-counter/database/sql/connect';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import { type BoundedLog, shortened } from '@visitor-counter/service/bounded-log';
import { decodeStatus, isUnitChannel, parseTopic } from '@visitor-counter/wire/topics';
import { LRUCache } from 'lru-cache';
import type { DeviceStates } from '../devices/device-states.ts';
import type { Receiver } from '../ingest/receive.ts';
import { ClientError } from '../listener/client-error.ts';
import type { AccessInstruments } from '../metrics/gateway-instruments.ts';
import type { Delivered } from './broker-session.ts';

type HandleMessage = (message: Delivered) => Promise<void>;

interface ConsumerOptions {
  readonly devices: KnownDevices;
  readonly receiver: Receiver;
  readonly access: AccessInstruments;
  readonly log: BoundedLog;
}

/**
 * Stores one message, and resolves when it may be acknowledged to the broker. Retries while the database is
 * unavailable; rejects when the connection has ended.
 *
 * The topic determines the device: the broker decides who may publish to it. Messages of unknown serial numbers are
 * acknowledged and dropped. So are messages that can never be stored, because they must not block the messages after
 * them; their units get no `committed` message.
 */
export function consumer({ devices, receiver, access, log }: ConsumerOptions): HandleMessage {
  const onError = (error: unknown) => {
    if (!(error instanceof ClientError))
      log.write('warn', errorFields(error), 'message not stored yet; retrying');
  };
  return async ({ topic, payload, ended }) => {
    const parts = parseTopic(topic);
    if (parts === undefined || !isUnitChannel(parts.channel)) {
      access.packetRefused('topic');
      log.write('warn', { topic: shortened(topic) }, 'message dropped: not a topic of a unit');
      return;
    }
    const { serial, channel } = parts;
    const store = async () => {
      const device = await devices.find(serial);
      if (device === undefined) {
        access.packetRefused('unknown serial');
        log.write('warn', { serial, channel }, 'message dropped: unknown serial number');
        return;
      }
      const sender = { deviceId: device.id, serial, generation: device.generation };
      const result = await receiver.receive(sender, { channel, topic, payload });
      if (result === 'unstorable') devices.forget(serial);
      else if (result !== 'stored' && result !== 'full') throw new ClientError('not-stored', result);
    };
    await retryUntilEnded(store, ended, onError);
  };
}

/**
 * The serial numbers of the units that are online by their status at an external broker, registered as devices or not.
 * The broker sends the statuses of all units again whenever the gateway connects. They are not derived from the database:
 * it may be restored, and a device may be registered only after its unit has connected.
 */
export type OnlineUnits = LRUCache<string, true>;

interface StatusOptions {
  readonly devices: KnownDevices;
  readonly states: DeviceStates;
  readonly units: OnlineUnits;
  /** Handles all other messages. */
  readonly otherwise: HandleMessage;
  readonly log: BoundedLog;
}

/**
 * Records which units are online.
 *
 * Every gateway receives the statuses of all units, in order and over one connection: over several connections, the last
 * will of an old connection could arrive after the `online` of the new one. An `offline` may be a last will, and a
 * retained message is old: neither counts as activity of the unit.
 */
export function statusFollower({ devices, states, units, otherwise, log }: StatusOptions): HandleMessage {
  const onError = (error: unknown) =>
    log.write('warn', errorFields(error), 'status not stored yet; retrying');
  return async (message) => {
    const { serial, channel } = parseTopic(message.topic) ?? {};
    if (serial === undefined || channel !== 'status') return otherwise(message);
    /* An empty message clears a retained status; it is not an error. */
    if (message.payload.length === 0) return;
    const status = decodeStatus(message.payload);
    if (status === undefined) return otherwise(message);
    const online = status === 'online';
    if (online) units.set(serial, true);
    else units.delete(serial);
    const device = await retryUntilEnded(() => devices.find(serial), message.ended, onError);
    if (device === undefined) return;
    const at = Date.now();
    states.record(device.id, {
      ...(online && !message.retained && { activityAt: at }),
      status: { online, at, generation: device.generation },
    });
  };
}

/** How long a result is cached (ms); a newly enrolled device is known after the second. */
const ttl = { known: 60_000, unknown: 10_000 };

/** Finds devices by serial number, with a cache. */
export class KnownDevices {
  readonly #pool: Database['pool'];
  readonly #found = new LRUCache<string, Promise<ExternalDevice | undefined>>({
    max: 50_000,
    ttl: ttl.known,
  });

  constructor(pool: Database['pool']) {
    this.#pool = pool;
  }

  /** Undefined when there is no such device; rejects when the database is unavailable. */
  find(serial: string): Promise<ExternalDevice | undefined> {
    const found = this.#found.get(serial);
    if (found) return found;
    const device = findExternalDevice(this.#pool, serial);
    this.#found.set(serial, device);
    device.then(
      (known) => {
        if (!known) this.#found.set(serial, device, { ttl: ttl.unknown });
      },
      () => this.#found.delete(serial),
    );
    return device;
  }

  /** Evicts a device that the database no longer knows, because it may have been restored. */
  forget(serial: string): void {
    this.#found.delete(serial);
  }
}

/** Between two attempts (ms). */
const pause = 500;

/**
 * Repeats `work` until it succeeds, so that a message is not lost while the database is unavailable. Rejects when the
 * connection has `ended`: its broker will deliver the message again.
 */
async function retryUntilEnded<Result>(
  work: () => Promise<Result>,
  ended: AbortSignal,
  onError: (error: unknown) => void,
): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      onError(error);
    }
    await delay(pause, undefined, { signal: ended });
  }
}
