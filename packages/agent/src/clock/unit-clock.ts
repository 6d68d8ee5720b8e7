import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';
import { Listeners } from '../async/listeners.ts';
import { instantOf, type StampClock } from './time.ts';

/** When a boot began, and how far that may be off. */
export interface BootTime {
  /** The instant at which CLOCK_MONOTONIC was 0. */
  readonly offset: EpochMs;
  /** How far `offset` may be off (ms); 0 for a clock that NTP keeps. */
  readonly uncertainty: number;
}

/** An instant for a moment of this boot. */
export interface Placed {
  /** A whole number. */
  readonly at: EpochMs;
  readonly uncertainty: number;
  /** False while the clock was never right: `at` is then only what it says. */
  readonly settled: boolean;
}

export interface ClockParts {
  readonly boot: string;
  /** CLOCK_MONOTONIC. */
  readonly monotonic: () => MonotonicMs;
  /** The machine's own clock. */
  readonly wall: () => EpochMs;
  readonly synchronised: () => Promise<boolean>;
  /** How often it is asked whether the clock is synchronised, until it is (ms). */
  readonly askEvery: number;
  /** How long after the start the gateway's time is taken instead (ms). */
  readonly patience: number;
}

/** A time that took longer to come says too little (ms). */
const longestAnswer = 10_000;

/**
 * What time it is, and whether that can be believed. Once synchronised, the clock counts as right for the rest
 * of the boot. Where it is not, the gateway's time serves after a while, as exact as its answers are quick.
 */
export class UnitClock {
  readonly boot: string;
  readonly #parts: ClockParts;
  readonly #began: MonotonicMs;
  readonly #right = new Listeners();
  #synced = false;
  #gateway: BootTime | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** Asks once whether the clock is right, then goes on asking until it is. */
  static async start(parts: ClockParts): Promise<UnitClock> {
    const clock = new UnitClock(parts);
    await clock.#ask();
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

  /** When this boot began; undefined while nobody knows. */
  get bootTime(): BootTime | undefined {
    const { wall, monotonic } = this.#parts;
    return this.#synced ? { offset: wall() - monotonic(), uncertainty: 0 } : this.#gateway;
  }

  /** The instant of a moment: exact on the clock of a recording, and as far as it is known now on CLOCK_MONOTONIC. */
  place(moment: MonotonicMs, clock: StampClock = 'monotonic'): Placed {
    if (clock === 'epoch') return { at: instantOf(moment, 0), uncertainty: 0, settled: true };
    const { wall, monotonic } = this.#parts;
    const known = this.bootTime;
    const { offset, uncertainty } = known ?? { offset: wall() - monotonic(), uncertainty: 0 };
    return { at: instantOf(moment, offset), uncertainty, settled: known !== undefined };
  }

  /** The present, as well as it is known. */
  now(): EpochMs {
    return this.place(this.#parts.monotonic()).at;
  }

  /** The gateway sent the time `at` in answer to a message that was sent `waited` ms ago. */
  gatewaySays(at: EpochMs, waited: number): void {
    const now = this.#parts.monotonic();
    if (this.#synced || waited > longestAnswer || now - this.#began < this.#parts.patience) return;
    const first = this.#gateway === undefined;
    this.#gateway = { offset: at + waited / 2 - now, uncertainty: Math.ceil(waited / 2) };
    if (first) this.#right.call();
  }

  /** Calls `listener` when a right time becomes known; returns what ends that. */
  onRight(listener: () => void): () => void {
    return this.#right.add(listener);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #ask(): Promise<void> {
    this.#synced = await this.#parts.synchronised();
    if (this.#synced) this.#right.call();
    else if (!this.#closed) this.#timer = setTimeout(() => void this.#ask(), this.#parts.askEvery).unref();
  }
}
