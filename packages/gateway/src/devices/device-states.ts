import {
  type DeviceStateChange,
  keptDiagnoses,
  writeDeviceStates,
} from '@visitor-counter/database/devices/device-states';
import type { Database } from '@visitor-counter/database/sql/connect';
import { AwaitedWrites, type WriteResult } from './awaited-writes.ts';

/** New facts about a device. */
export type StateParts = Omit<DeviceStateChange, 'deviceId'>;

interface DeviceStatesOptions {
  readonly pool: Database['pool'];
  /** The time between two writes (ms). */
  readonly interval: number;
  /** How long a message waits for its acknowledgement (ms). */
  readonly wait: number;
  readonly onError: (error: unknown) => void;
}

/** The memory for messages that are acknowledged when their state is written (bytes). */
const maxBytes = 32 * 1024 * 1024;

/** Devices in one statement. */
const maxChanges = 2_000;

/** How long awaited changes are collected before they are written together (ms). */
const gatherFor = 25;

/** Which changes a write covers: all, or those of devices whose messages wait to be acknowledged. */
type Extent = 'all' | 'awaited';

/**
 * Collects the changes of devices and writes them, one entry for each device: at intervals, or within `gatherFor` if the
 * acknowledgement of a message depends on it. There is one write at a time; later changes are in the next one. While the
 * database is unavailable, small changes are still collected, and no message is acknowledged.
 */
export class DeviceStates {
  readonly #options: DeviceStatesOptions;
  readonly #awaited: AwaitedWrites;
  readonly #timers: readonly NodeJS.Timeout[];
  #gathering: NodeJS.Timeout | undefined;
  /** By device. The objects are not shared, so every message can update the activity in place. */
  #changes = new Map<number, Omit<StateParts, 'activityAt'> & { activityAt?: number }>();
  #isFailing = false;
  #requested: Extent | undefined;
  #running: Promise<void> | undefined;

  constructor(options: DeviceStatesOptions) {
    this.#options = options;
    this.#awaited = new AwaitedWrites(options.wait, maxBytes);
    this.#timers = [
      setInterval(() => this.#request('all'), options.interval),
      setInterval(() => this.#awaited.expire(performance.now()), Math.min(250, options.wait)),
    ];
  }

  /** Devices whose changes wait to be written. */
  get size(): number {
    return this.#changes.size;
  }

  /** A message of the device has arrived at an instant (epoch ms). */
  recordActivity(deviceId: number, at: number): void {
    const known = this.#changes.get(deviceId);
    if (known) known.activityAt = at;
    else this.#changes.set(deviceId, { activityAt: at });
  }

  /** Adds new facts, to be written with the next write. */
  record(deviceId: number, parts: StateParts): void {
    this.#changes.set(deviceId, merge(this.#changes.get(deviceId) ?? {}, parts));
  }

  /**
   * Adds the facts of a message that must be acknowledged; resolves when they are written, or when the message is given
   * up.
   */
  recordDurably(deviceId: number, parts: StateParts, payloadBytes: number): Promise<WriteResult> {
    const written = this.#awaited.add(deviceId, payloadBytes);
    if (written === undefined) return Promise.resolve('overloaded');
    this.record(deviceId, parts);
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#request('awaited');
    }, gatherFor);
    return written;
  }

  /** Writes everything collected. Never rejects: changes that cannot be written wait for the next write. */
  async flush(): Promise<void> {
    this.#request('all');
    await this.#running;
  }

  /** Writes everything collected, unless the last write failed; drops changes that cannot be written. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#gathering);
    if (!this.#isFailing) this.#request('all');
    await this.#running;
    this.#awaited.expire(Number.POSITIVE_INFINITY);
  }

  #request(extent: Extent): void {
    if (this.#requested !== 'all') this.#requested = extent;
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    for (let extent = this.#requested; extent !== undefined; extent = this.#requested) {
      this.#requested = undefined;
      await this.#write(extent);
    }
    this.#running = undefined;
  }

  async #write(extent: Extent): Promise<void> {
    this.#awaited.begin();
    const ids = extent === 'all' ? this.#changes.keys() : this.#awaited.devices();
    const changes = [...ids].flatMap((deviceId) => this.#remove(deviceId));
    for (let start = 0; start < changes.length; start += maxChanges) {
      try {
        await writeDeviceStates(this.#options.pool, changes.slice(start, start + maxChanges));
      } catch (error) {
        this.#isFailing = true;
        this.#awaited.failed();
        /* If the next write begins now, the timer would not see these messages. */
        this.#awaited.expire(performance.now());
        for (const change of changes.slice(start)) this.#requeue(change);
        this.#dropLarge();
        return this.#options.onError(error);
      }
    }
    this.#isFailing = false;
    this.#awaited.written();
  }

  #remove(deviceId: number): DeviceStateChange[] {
    const parts = this.#changes.get(deviceId);
    this.#changes.delete(deviceId);
    return parts === undefined ? [] : [{ deviceId, ...parts }];
  }

  #requeue({ deviceId, ...older }: DeviceStateChange): void {
    this.#changes.set(deviceId, merge(older, this.#changes.get(deviceId) ?? {}));
  }

  /** Heartbeats and diagnoses are large. Units repeat those whose messages no longer wait for an acknowledgement. */
  #dropLarge(): void {
    const awaited = this.#awaited.devices();
    for (const [deviceId, { heartbeat, diagnoses, ...others }] of this.#changes) {
      if ((heartbeat || diagnoses) && !awaited.has(deviceId)) this.#changes.set(deviceId, others);
    }
  }
}

/**
 * Newer parts replace older ones, except that a diagnosis replaces only one of the same command. Generations are not compared:
 * the connections of a device report their statuses one after the other (`Sessions`), and after a restore of the database
 * newer generations can be lower.
 */
function merge(older: StateParts, newer: StateParts): StateParts {
  const diagnoses = mergeDiagnoses(older.diagnoses, newer.diagnoses);
  return { ...older, ...newer, ...(diagnoses && { diagnoses }) };
}

function mergeDiagnoses(
  older: StateParts['diagnoses'],
  newer: StateParts['diagnoses'],
): StateParts['diagnoses'] {
  if (older === undefined || newer === undefined) return newer ?? older;
  const others = older.filter((one) => newer.every(({ commandId }) => commandId !== one.commandId));
  return [...others, ...newer].slice(-keptDiagnoses);
}
