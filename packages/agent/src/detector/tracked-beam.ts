import type { MonotonicMs } from '@visitor-counter/domain/time';
import { endOfTime, later } from '../clock/time.ts';

/** A beam as the heartbeat reports it. */
export interface BeamState {
  /** The present state; absent while it is unknown. */
  readonly broken?: boolean;
  /** `blocked` when the beam has been broken, or could not be read, for longer than a person needs. */
  readonly state: 'clear' | 'blocked';
  /** When the beam was last broken or cleared, or reading began; on the clock of the stamps. */
  readonly since: MonotonicMs;
  /** How often the beam was broken since the start. */
  readonly breaks: number;
  /** Paths that broke this beam only. Many of them mean that a beam is misaligned. */
  readonly alone: number;
  /** For how long the beam was blocked since the start (ms), without a block that has not ended. */
  readonly blockedMs: number;
}

/** The state of one beam, and since when it has it. */
export class TrackedBeam {
  broken: boolean | undefined;
  /** Broken or unreadable for longer than a person needs. */
  blocked = false;
  /** Reading has failed. */
  #isUnreadable = false;
  /** Paths that touched this beam and no other. */
  alone = 0;
  /** When it was last broken or cleared, or reading began. */
  since: MonotonicMs;
  breaks = 0;
  /** Breaks before debouncing. */
  bounces = 0;
  #blockedMs = 0;

  constructor(broken: boolean | undefined, at: MonotonicMs) {
    this.broken = broken;
    this.since = at;
  }

  /** Sets the level that the beam has from `at` on. Returns false if it has that level already. */
  change(broken: boolean, at: MonotonicMs): boolean {
    if (this.broken === broken) return false;
    if (broken) this.breaks += 1;
    this.#become(broken, at);
    return true;
  }

  /** Sets the level at a restart of reading. An alarm about the same level continues. */
  restart(broken: boolean | undefined, at: MonotonicMs): void {
    this.#isUnreadable = broken === undefined;
    if (this.broken !== broken) this.#become(broken, at);
  }

  /**
   * When the beam will be blocked, if it stays broken or unreadable: after more than `longest` ms. `endOfTime` if it is
   * clear, or blocked already.
   */
  blockedAt(longest: number): MonotonicMs {
    return (this.broken || this.#isUnreadable) && !this.blocked ? later(this.since, longest + 1) : endOfTime;
  }

  /** Marks the beam as blocked if it is time: see `blockedAt`. Returns true once for each block. */
  noticeBlocked(now: MonotonicMs, longest: number): boolean {
    if (now < this.blockedAt(longest)) return false;
    this.blocked = true;
    return true;
  }

  get state(): BeamState {
    return {
      ...(this.broken !== undefined && { broken: this.broken }),
      state: this.blocked ? 'blocked' : 'clear',
      since: this.since,
      breaks: this.breaks,
      alone: this.alone,
      blockedMs: this.#blockedMs,
    };
  }

  #become(broken: boolean | undefined, at: MonotonicMs): void {
    if (this.blocked) this.#blockedMs += at - this.since;
    this.broken = broken;
    this.blocked = false;
    this.since = at;
  }
}
