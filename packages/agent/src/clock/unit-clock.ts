import { EventEmitter, once } from 'node:events';
import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';
import type { Logger } from '@visitor-counter/service/logger';
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
  /** Polling interval for the synchronisation of the clock, and then for changes of it (ms). */
  readonly pollInterval: number;
  /** How long after the start the gateway's time is used instead (ms). */
  readonly gatewayTimeAfter: number;
  readonly log: Logger;
}

/** A change of the clock by at most this much (ms) is a correction by NTP. A larger one must be confirmed. */
const largestCorrection = 10_000;

/**
 * The offset to use from now on: the `kept` one, or the `present` one of the machine if the change is a correction by NTP or
 * the present one is nearer to the gateway's. An answer is at most 5 s inexact, less than half of the change.
 */
export function offsetToUse(kept: EpochMs, present: EpochMs, gateway?: EpochMs): EpochMs {
  const isCorrection = Math.abs(present - kept) <= largestCorrection;
  const isConfirmed = gateway !== undefined && Math.abs(present - gateway) < Math.abs(kept - gateway);
  return isCorrection || isConfirmed ? present : kept;
}

/**
 * The time, and whether it is right. When the clock of the machine is synchronised, its offset from CLOCK_MONOTONIC serves for
 * the rest of the boot: NTP adjusts the rate of both, so only setting the clock changes their difference.
 * If it is not synchronised after a while, the time of the gateway is used; its error is at most half a round trip.
 */
export class UnitClock {
  readonly boot: string;
  readonly #parts: ClockParts;
  readonly #began: MonotonicMs;
  /** Each door of the unit may wait for the time. */
  readonly #changes = new EventEmitter<{ timeKnown: [] }>().setMaxListeners(0);
  /** The offset of the machine's clock that is used; undefined before it was synchronised. */
  #offset: EpochMs | undefined;
  /** The offset according to the last answer of the gateway; undefined before the first one. */
  #gatewayOffset: EpochMs | undefined;
  #reportedChange = 0;
  #gateway: BootTime | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** Checks whether the clock is synchronised, repeats that until it is, and then follows it. */
  static async start(parts: ClockParts): Promise<UnitClock> {
    const clock = new UnitClock(parts);
    await clock.#poll();
    return clock;
  }

  private constructor(parts: ClockParts) {
    this.boot = parts.boot;
    this.#parts = parts;
    this.#began = parts.monotonic();
  }

  /** Whether this machine's own clock is synchronised, and was not changed after that. */
  get synced(): boolean {
    return this.#offset !== undefined && this.changedBy === 0;
  }

  /** By how much the clock was changed after it was synchronised (ms); 0 if it was not, or if that is confirmed or undone. */
  get changedBy(): number {
    if (this.#offset === undefined) return 0;
    const present = this.#presentOffset;
    return present - offsetToUse(this.#offset, present);
  }

  /** When this boot began; undefined while that is not known. */
  get bootTime(): BootTime | undefined {
    return this.#offset === undefined ? this.#gateway : { offset: this.#offset, uncertainty: 0 };
  }

  /** The instant of a moment: exact on the clock of a recording, and as far as it is known now on CLOCK_MONOTONIC. */
  instantAt(moment: MonotonicMs, clock: StampClock = 'monotonic'): UnitInstant {
    if (clock === 'epoch') return { at: instantOf(moment, 0), uncertainty: 0, isDated: true };
    const known = this.bootTime;
    const { offset, uncertainty } = known ?? { offset: this.#presentOffset, uncertainty: 0 };
    return { at: instantOf(moment, offset), uncertainty, isDated: known !== undefined };
  }

  /** The present instant, as exactly as it is known. */
  now(): EpochMs {
    return this.instantAt(this.#parts.monotonic()).at;
  }

  /** The gateway sent the time `at` in answer to a message that was sent `waited` ms ago, at most 10 s. */
  receiveGatewayTime(at: EpochMs, waited: number): void {
    const now = this.#parts.monotonic();
    const offset = at + waited / 2 - now;
    this.#gatewayOffset = offset;
    this.#follow();
    if (now - this.#began < this.#parts.gatewayTimeAfter) return;
    this.#gateway = { offset, uncertainty: Math.ceil(waited / 2) };
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

  /** The offset of the machine's clock as it is set now. */
  get #presentOffset(): EpochMs {
    const { wall, monotonic } = this.#parts;
    return wall() - monotonic();
  }

  async #poll(): Promise<void> {
    if (this.#offset !== undefined) this.#follow();
    else if ((await this.#parts.synchronised()) === true) {
      this.#offset = this.#presentOffset;
      this.#changes.emit('timeKnown');
    }
    if (!this.#closed) this.#timer = setTimeout(() => void this.#poll(), this.#parts.pollInterval).unref();
  }

  /** Logs a change of the clock, and follows it if that is right. */
  #follow(): void {
    if (this.#offset === undefined) return;
    const { changedBy } = this;
    if (Math.abs(changedBy - this.#reportedChange) > largestCorrection) {
      this.#reportedChange = changedBy;
      const { log } = this.#parts;
      const changedBySeconds = Math.round(changedBy / 1_000);
      if (changedBy === 0) log.info('changed clock corrected or confirmed');
      else
        log.warn(
          { changedBySeconds },
          'clock changed: previous time used until the server confirms the new one',
        );
    }
    this.#offset = offsetToUse(this.#offset, this.#presentOffset, this.#gatewayOffset);
  }
}
