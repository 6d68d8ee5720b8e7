import {
  type DeviceStateChange,
  keptDiagnoses,
  writeDeviceStates,
} from '@visitor-counter/database/devices/device-states';
import type { Database } from '@visitor-counter/database/sql/connect';
import { messageOverhead } from '../backpressure/backpressure.ts';

/** New facts about a device. */
export type StateParts = Omit<DeviceStateChange, 'deviceId'>;

interface DeviceStatesOptions {
  readonly db: Database['kysely'];
  readonly gatewayId: string;
  /** The time between two writes (ms). */
  readonly interval: number;
  readonly onError: (error: unknown) => void;
}

/** A message that is acknowledged when the state in it is written. */
interface AwaitedWrite {
  readonly bytes: number;
  readonly report: (result: WriteResult) => void;
}

/** `late`: the gateway stops before the database has committed it. `overloaded`: there is no memory for it. */
export type WriteResult = 'stored' | 'late' | 'overloaded';

/** The memory for messages that are acknowledged when their state is written (bytes). */
const maxBytes = 32 * 1024 * 1024;

/** Devices in one statement. */
const maxChanges = 2_000;

/** How long awaited changes are collected before they are written together (ms). */
const gatherFor = 25;

/**
 * Collects the changes of devices and writes them, one entry for each device: at intervals, or within `gatherFor` if the
 * acknowledgement of a message depends on it. There is one write at a time; later changes are in the next one. While the
 * database is unavailable, changes are still collected within `maxBytes`, and no message is acknowledged.
 */
export class DeviceStates {
  readonly #options: DeviceStatesOptions;
  readonly #timer: NodeJS.Timeout;
  #gathering: NodeJS.Timeout | undefined;
  /** By device. The objects are not shared, so every message can update the activity in place. */
  #changes = new Map<number, Omit<StateParts, 'activityAt'> & { activityAt?: number }>();
  #awaited: AwaitedWrite[] = [];
  #bytes = 0;
  #isFailing = false;
  #running: Promise<void> | undefined;

  constructor(options: DeviceStatesOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.flush(), options.interval);
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

  /** Adds the facts of a message that must be acknowledged; resolves when they are written. */
  recordDurably(deviceId: number, parts: StateParts, payloadBytes: number): Promise<WriteResult> {
    const bytes = payloadBytes + messageOverhead;
    if (this.#bytes + bytes > maxBytes) return Promise.resolve('overloaded');
    this.#bytes += bytes;
    this.record(deviceId, parts);
    const { promise, resolve } = Promise.withResolvers<WriteResult>();
    this.#awaited.push({ bytes, report: resolve });
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      void this.flush();
    }, gatherFor);
    return promise;
  }

  /** Writes everything collected. Never rejects: changes that cannot be written wait for the next write. */
  async flush(): Promise<void> {
    await this.#running;
    this.#running ??= this.#write().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  /** Writes everything collected, unless the last write failed; drops changes that cannot be written. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#gathering);
    if (this.#isFailing) await this.#running;
    else await this.flush();
    this.#report(this.#awaited, 'late');
  }

  async #write(): Promise<void> {
    const { db, gatewayId, onError } = this.#options;
    const changes = [...this.#changes].map(([deviceId, parts]) => ({ deviceId, ...parts }));
    const awaited = this.#awaited;
    this.#changes = new Map();
    this.#awaited = [];
    for (let start = 0; start < changes.length; start += maxChanges) {
      try {
        await writeDeviceStates(db, gatewayId, changes.slice(start, start + maxChanges));
      } catch (error) {
        this.#isFailing = true;
        for (const change of changes.slice(start)) this.#requeue(change);
        this.#awaited = [...awaited, ...this.#awaited];
        return onError(error);
      }
    }
    this.#isFailing = false;
    this.#report(awaited, 'stored');
  }

  #requeue({ deviceId, ...older }: DeviceStateChange): void {
    this.#changes.set(deviceId, merge(older, this.#changes.get(deviceId) ?? {}));
  }

  #report(awaited: readonly AwaitedWrite[], result: WriteResult): void {
    for (const { bytes, report } of awaited) {
      this.#bytes -= bytes;
      report(result);
    }
  }
}

/** Newer parts replace older ones, except that a diagnosis replaces only one of the same command. */
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
