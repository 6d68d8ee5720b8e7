import { type DeviceStateChange, writeDeviceStates } from '@visitor-counter/database/devices/device-states';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { Outcome } from '../ingest/ingest-result.ts';
import { type AwaitedLimits, AwaitedWrites } from './awaited-writes.ts';
import type { Sender } from './sender.ts';

/** What a message says of its device. */
export type Parts = Omit<DeviceStateChange, 'deviceId'>;

export interface DeviceStatesOptions {
  readonly pool: Database['pool'];
  /** How often what was collected is written (ms). */
  readonly interval: number;
  readonly onError: (error: unknown) => void;
  readonly limits?: Partial<AwaitedLimits>;
}

const defaultLimits: AwaitedLimits = {
  wait: 8_000,
  heldBytes: 32 * 1024 * 1024,
  heldBytesPerClient: 1024 * 1024,
};

/** Devices in one statement. */
const maxChanges = 2_000;

/** How long a message that waits for its write waits for others to be written with it (ms). */
const gatherFor = 25;

/** What is to be written: everything, or the devices that somebody waits for. */
type Extent = 'all' | 'awaited';

/**
 * Collects what becomes known of devices and writes it, one entry for each device however many messages there
 * were: at intervals, or, where a message waits for it, soon. One write at a time; what comes meanwhile is in the
 * next one. While the database is away it goes on collecting the small parts, and nobody is told that anything is
 * written.
 */
export class DeviceStates {
  readonly #options: DeviceStatesOptions;
  readonly #awaited: AwaitedWrites;
  readonly #timers: readonly NodeJS.Timeout[];
  #gathering: NodeJS.Timeout | undefined;
  /** Nobody else has what is in it: every message changes the activity in place. */
  #changes = new Map<number, Omit<Parts, 'activityAt'> & { activityAt?: number }>();
  #isFailing = false;
  #asked: Extent | undefined;
  #running: Promise<void> | undefined;

  constructor(options: DeviceStatesOptions) {
    this.#options = options;
    const limits = { ...defaultLimits, ...options.limits };
    this.#awaited = new AwaitedWrites(limits);
    this.#timers = [
      setInterval(() => this.#ask('all'), options.interval),
      setInterval(() => this.#awaited.expire(Date.now()), Math.min(250, limits.wait)),
    ];
  }

  /** Devices whose changes wait to be written. */
  get size(): number {
    return this.#changes.size;
  }

  /** The device has been heard of at an instant (epoch ms). */
  noteActivity(deviceId: number, at: number): void {
    const known = this.#changes.get(deviceId);
    if (known) known.activityAt = at;
    else this.#changes.set(deviceId, { activityAt: at });
  }

  /** Adds what is newly known. */
  note(deviceId: number, parts: Parts): void {
    this.#changes.set(deviceId, merge(this.#changes.get(deviceId) ?? {}, parts));
  }

  /** The same of a message that took `payloadBytes`; tells `stored` when it is written. */
  noteDurably(sender: Sender, parts: Parts, payloadBytes: number, settled: (outcome: Outcome) => void): void {
    if (!this.#awaited.add(sender.deviceId, payloadBytes, settled, Date.now())) return;
    this.note(sender.deviceId, parts);
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#ask('awaited');
    }, gatherFor);
  }

  /** Writes what was collected. Never rejects: what could not be written is kept for the next time. */
  async flush(): Promise<void> {
    this.#ask('all');
    await this.#running;
  }

  /** Writes what was collected, unless the last write failed; what cannot be written is given up. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#gathering);
    if (!this.#isFailing) await this.flush();
    await this.#running;
    this.#awaited.expire(Number.POSITIVE_INFINITY);
  }

  #ask(extent: Extent): void {
    if (this.#asked !== 'all') this.#asked = extent;
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    for (let extent = this.#asked; extent !== undefined; extent = this.#asked) {
      this.#asked = undefined;
      await this.#write(extent);
    }
    this.#running = undefined;
  }

  async #write(extent: Extent): Promise<void> {
    this.#awaited.begin();
    const ids = extent === 'all' ? this.#changes.keys() : this.#awaited.devices();
    const changes = [...ids].flatMap((deviceId) => this.#take(deviceId));
    for (let start = 0; start < changes.length; start += maxChanges) {
      try {
        await writeDeviceStates(this.#options.pool, changes.slice(start, start + maxChanges));
      } catch (error) {
        this.#isFailing = true;
        this.#awaited.failed();
        for (const change of changes.slice(start)) this.#takeBack(change);
        this.#forgetLarge();
        return this.#options.onError(error);
      }
    }
    this.#isFailing = false;
    this.#awaited.written();
  }

  #take(deviceId: number): DeviceStateChange[] {
    const parts = this.#changes.get(deviceId);
    this.#changes.delete(deviceId);
    return parts === undefined ? [] : [{ deviceId, ...parts }];
  }

  #takeBack({ deviceId, ...older }: DeviceStateChange): void {
    this.#changes.set(deviceId, merge(older, this.#changes.get(deviceId) ?? {}));
  }

  /** Heartbeats and diagnoses are large: those that no message waits for are sent again by their units. */
  #forgetLarge(): void {
    const awaited = this.#awaited.devices();
    for (const [deviceId, { heartbeat, diagnosis, ...others }] of this.#changes) {
      if ((heartbeat || diagnosis) && !awaited.has(deviceId)) this.#changes.set(deviceId, others);
    }
  }
}

/** The newer parts win, but only the newest connection says whether the device is online. */
function merge(older: Parts, newer: Parts): Parts {
  const merged = { ...older, ...newer };
  if (older.status && newer.status && older.status.generation > newer.status.generation) {
    return { ...merged, status: older.status };
  }
  return merged;
}
