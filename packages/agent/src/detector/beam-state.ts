/** A beam as the heartbeat reports it. */
export interface BeamState {
  /** What the beam is now; missing while that is unknown. */
  readonly broken?: boolean;
  /** `blocked` when the beam has been broken for longer than a person takes. */
  readonly state: 'clear' | 'blocked';
  /** Since when (in the time of the stamps) the beam has been as it is. */
  readonly since: number;
  /** How often the beam was broken since the start. */
  readonly breaks: number;
  /** Paths that touched this beam and no other. Many of them on one side: a beam is out of line. */
  readonly alone: number;
  /** How long the beam was blocked since the start (ms), up to when it was last clear. */
  readonly blockedMs: number;
}
