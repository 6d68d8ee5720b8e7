import type { MonotonicMs } from '@visitor-counter/domain/time';
/** A beam as the heartbeat reports it. */
export interface BeamState {
  /** The present state; absent while it is unknown. */
  readonly broken?: boolean;
  /** `blocked` when the beam has been broken for longer than a person needs. */
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
