import type { MonotonicMs } from '@visitor-counter/domain/time';
/** A beam as the heartbeat reports it. */
export interface BeamState {
  /** The present state; missing while it is unknown. */
  readonly broken?: boolean;
  /** `blocked` when the beam has been broken for longer than a person needs. */
  readonly state: 'clear' | 'blocked';
  /** The moment since which the beam has had this state, on the clock of the stamps. */
  readonly since: MonotonicMs;
  /** How often the beam was broken since the start. */
  readonly breaks: number;
  /** Paths that touched this beam and no other. Many of them on one side: a beam is out of line. */
  readonly alone: number;
  /** How long the beam was blocked since the start (ms), up to when it was last clear. */
  readonly blockedMs: number;
}
