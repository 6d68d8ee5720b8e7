import type { Database } from '@visitor-counter/database/connect';
import { type DeviceStateChange, writeDeviceStates } from '@visitor-counter/database/ingest/device-states';

type Parts = Omit<DeviceStateChange, 'deviceId'>;

/** Devices in one statement. */
const maxChanges = 2_000;

/**
 * Collects what becomes known of devices and writes it at intervals, one entry for each device,
 * however many messages there were. While the database is away it goes on collecting.
 */
export class DeviceStates {
  readonly #pool: Database['pool'];
  readonly #onError: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #changes = new Map<number, Parts>();
  #writing: Promise<void> | undefined;

  /** `interval`: how often what was collected is written (ms). */
  constructor(pool: Database['pool'], interval: number, onError: (error: unknown) => void) {
    this.#pool = pool;
    this.#onError = onError;
    this.#timer = setInterval(() => {
      if (this.#writing === undefined) void this.flush();
    }, interval);
  }

  /** Devices whose changes wait to be written. */
  get size(): number {
    return this.#changes.size;
  }

  /** Adds what is newly known. */
  note(deviceId: number, parts: Parts): void {
    this.#changes.set(deviceId, merge(this.#changes.get(deviceId) ?? {}, parts));
  }

  /** Writes what was collected. Never rejects: what could not be written is kept for the next time. */
  async flush(): Promise<void> {
    await this.#writing;
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #write(): Promise<void> {
    const changes = [...this.#changes].map(([deviceId, parts]) => ({ deviceId, ...parts }));
    this.#changes = new Map();
    for (let start = 0; start < changes.length; start += maxChanges) {
      try {
        await writeDeviceStates(this.#pool, changes.slice(start, start + maxChanges));
      } catch (error) {
        for (const change of changes.slice(start)) this.#takeBack(change);
        return this.#onError(error);
      }
    }
  }

  #takeBack({ deviceId, ...older }: DeviceStateChange): void {
    this.#changes.set(deviceId, merge(older, this.#changes.get(deviceId) ?? {}));
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
