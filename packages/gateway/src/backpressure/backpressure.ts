/** Stops reading from all clients while the gateway has too much in memory. */
export class Backpressure {
  #isActive = false;
  readonly #waiting = new Set<() => void>();

  /** True while nothing should be read from any client. */
  get isActive(): boolean {
    return this.#isActive;
  }

  /** Calls back once when reading may continue; the caller has seen it active. */
  onceReleased(callback: () => void): void {
    this.#waiting.add(callback);
  }

  /** Cancels a callback. */
  cancel(callback: () => void): void {
    this.#waiting.delete(callback);
  }

  set(isActive: boolean): void {
    if (isActive === this.#isActive) return;
    this.#isActive = isActive;
    if (isActive) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const callback of waiting) callback();
  }
}

export interface MemoryLimits {
  /** Messages of all devices (bytes). */
  readonly total: number;
  /** Messages of one device (bytes). */
  readonly perDevice: number;
}

/** What the broker needs for a message in addition to its payload (bytes). */
export const messageOverhead = 1_024;

/** Bounds the memory of messages that are not stored yet, in total and per device. */
export class MemoryBudget {
  readonly #limits: MemoryLimits;
  readonly #perDevice = new Map<number, number>();
  #bytes = 0;

  constructor(limits: MemoryLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts the bytes of a message that was received; false, without counting them, when they exceed a limit. */
  reserve(deviceId: number, bytes: number): boolean {
    const { total, perDevice } = this.#limits;
    const ofDevice = (this.#perDevice.get(deviceId) ?? 0) + bytes;
    if (this.#bytes + bytes > total || ofDevice > perDevice) return false;
    this.#perDevice.set(deviceId, ofDevice);
    this.#bytes += bytes;
    return true;
  }

  /** The message was stored or refused. */
  release(deviceId: number, bytes: number): void {
    const ofDevice = (this.#perDevice.get(deviceId) ?? 0) - bytes;
    if (ofDevice > 0) this.#perDevice.set(deviceId, ofDevice);
    else this.#perDevice.delete(deviceId);
    this.#bytes -= bytes;
  }
}
