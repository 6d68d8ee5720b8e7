import { EventEmitter, once } from 'node:events';
import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';
import { instantOf, type StampClock } from './time.ts';

/** When a boot began, and how far that may be off. */
export interface BootTime {
  /** The instant at which CLOCK_MONOTONIC was 0. */
  readonly offset: EpochMs;
  /** How far `offset` may be off (ms); 0 for a clock that NTP synchronises. */
  readonly uncertainty: number;
}

/** An instant for a moment of this boot. */
interface UnitInstant {
  /** A whole number. */
  readonly at: EpochMs;
  readonly uncertainty: number;
  /** False while the right time is not known: then `at` is the unverified time of the machine. */
  readonly isDated: boolean;
}

export interface ClockParts {
  readonly boot: string;
  /** CLOCK_MONOTONIC. */
  readonly monotonic: () => MonotonicMs;
  /** The machine's own clock. */
  readonly wall: () => EpochMs;
  readonly synchronised: () => Promise<boolean | undefined>;
  /** Polling interval for the synchronisation of the clock, until it is synchronised (ms). */
  readonly pollInterval: number;
  /** How long after the start the gateway's time is used instead (ms). */
  readonly gatewayTimeAfter: number;
}

/**
 * The time, and whether it is right. Once synchronised, the clock of the machine counts as right for the rest of the boot.
 * If it is not synchronised after a while, the time of the gateway is used; its error is at most half a round trip.
 */
export class UnitClock {
  readonly boot: string;
  readonly #parts: ClockParts;
  readonly #began: MonotonicMs;
  /** Each door of the unit may wait for the time. */
  readonly #changes = new EventEmitter<{ timeKnown: [] }>().setMaxListeners(0);
  #synced = false;
  #gateway: BootTime | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** Checks whether the clock is synchronised, and repeats that until it is. */
  static async start(parts: ClockParts): Promise<UnitClock> {
    const clock = new UnitClock(parts);
    await clock.#checkSynchronised();
    return clock;
  }

  private constructor(parts: ClockParts) {
    this.boot = parts.boot;
    this.#parts = parts;
    this.#began = parts.monotonic();
  }

  /** Whether this machine's own clock is synchronised. */
  get synced(): boolean {
    return this.#synced;
  }

  /** When this boot began; undefined while that is not known. */
  get bootTime(): BootTime | undefined {
    const { wall, monotonic } = this.#parts;
    return this.#synced ? { offset: wall() - monotonic(), uncertainty: 0 } : this.#gateway;
  }

  /** The instant of a moment: exact on the clock of a recording, and as far as it is known now on CLOCK_MONOTONIC. */
  instantAt(moment: MonotonicMs, clock: StampClock = 'monotonic'): UnitInstant {
    if (clock === 'epoch') return { at: instantOf(moment, 0), uncertainty: 0, isDated: true };
    const { wall, monotonic } = this.#parts;
    const known = this.bootTime;
    const { offset, uncertainty } = known ?? { offset: wall() - monotonic(), uncertainty: 0 };
    return { at: instantOf(moment, offset), uncertainty, isDated: known !== undefined };
  }

  /** The present instant, as exactly as it is known. */
  now(): EpochMs {
    return this.instantAt(this.#parts.monotonic()).at;
  }

  /** The gateway sent the time `at` in answer to a message that was sent `waited` ms ago, at most 10 s. */
  receiveGatewayTime(at: EpochMs, waited: number): void {
    const now = this.#parts.monotonic();
    if (now - this.#began < this.#parts.gatewayTimeAfter) return;
    this.#gateway = { offset: at + waited / 2 - now, uncertainty: Math.ceil(waited / 2) };
    this.#changes.emit('timeKnown');
  }

  /** Resolves when it is known when this boot began; with undefined if `signal` aborts before. */
  async knownBootTime(signal: AbortSignal): Promise<BootTime | undefined> {
    if (!this.bootTime) await once(this.#changes, 'timeKnown', { signal }).catch(() => {});
    return this.bootTime;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #checkSynchronised(): Promise<void> {
    this.#synced = (await this.#parts.synchronised()) === true;
    if (this.#synced) this.#changes.emit('timeKnown');
    else if (!this.#closed)
      this.#timer = setTimeout(() => void this.#checkSynchronised(), this.#parts.pollInterval).unref();
  }
}
