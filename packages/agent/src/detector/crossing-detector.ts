import type { Direction } from '@visitor-counter/domain/crossing';
import type { MonotonicMs } from '@visitor-counter/domain/time';
import type { BeamName, Edge, Restart } from '../beams/beams.ts';
import { later } from '../clock/time.ts';

/** A crossing at a moment on the clock of the edges' stamps: it has no instant yet. */
export interface DetectedCrossing {
  readonly at: MonotonicMs;
  readonly direction: Direction;
}

/**
 * Turns edges into crossings. It has no clock: edges and `advance` move its time, which is the clock of the
 * edges' stamps. Crossings are returned in order of their moments.
 */
export interface CrossingDetector {
  /** Processes an edge, which must not be earlier than the previous one. Returns the crossings that are certain now. */
  edge(edge: Edge): readonly DetectedCrossing[];
  /**
   * Returns the crossings that are certain if no further edge before `now` arrives. Called with `endOfTime` at the end
   * of the input.
   */
  advance(now: MonotonicMs): readonly DetectedCrossing[];
  /**
   * Processes a restart of reading: decides everything that was uncertain, and continues with the present levels. Nothing
   * is counted before all beams are clear, since it is not known who was under the beams meanwhile.
   */
  restart(restart: Restart): readonly DetectedCrossing[];
  /** When `advance` can decide something if no edge arrives earlier; undefined if nothing is undecided. */
  readonly nextDecision: MonotonicMs | undefined;
  /** What was detected in addition to crossings. */
  readonly facts: Facts;
  /** The beams of the door: `a` and `b`, or only `a`. */
  readonly beams: Readonly<Partial<Record<BeamName, BeamState>>>;
  /** The phase of the path under the beams, in a few words. */
  readonly phase: string;
  /** The beams that the last completed path broke, in order, such as `a, both, b`; empty before the first path. */
  readonly lastPath: string;
}

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

/** What was detected in addition to crossings, counted since the start. Misaligned sensors show up here. */
export const noFacts = {
  /** Paths that broke both beams and went back. */
  turnBacks: 0,
  /** Paths that broke one beam only. */
  partialPaths: 0,
  /** Paths that ended sooner than a person can pass. */
  noise: 0,
  /** Crossings that took longer than usual. */
  slow: 0,
  /** Two edges of a beam to the same level: the edge between them was lost. */
  resyncs: 0,
  /** How often a beam was broken for too long. */
  blocked: 0,
  /** Breaks so soon after a crossing that it was the same person; only doors with one beam. */
  repeats: 0,
  /** Paths whose direction could not be determined. */
  unclear: 0,
};

export type Fact = keyof typeof noFacts;
export type Facts = Readonly<Record<Fact, number>>;

/** The state of one beam, and since when it has it. */
export class TrackedBeam {
  broken: boolean | undefined;
  /** Broken for longer than a person needs. */
  blocked = false;
  /** Paths that touched this beam and no other. */
  alone = 0;
  #since: MonotonicMs;
  #breaks = 0;
  #blockedMs = 0;

  constructor(broken: boolean | undefined, at: MonotonicMs) {
    this.broken = broken;
    this.#since = at;
  }

  /** Sets the level that the beam has from `at` on. Returns false if it has that level already. */
  change(broken: boolean, at: MonotonicMs): boolean {
    if (this.broken === broken) return false;
    if (broken) this.#breaks += 1;
    this.#become(broken, at);
    return true;
  }

  /** Sets the level at a restart of reading. An alarm about the same level continues. */
  restart(broken: boolean | undefined, at: MonotonicMs): void {
    if (this.broken !== broken) this.#become(broken, at);
  }

  /**
   * When the beam will be blocked, if it stays broken: after more than `longest` ms. Undefined if it is clear, or
   * blocked already.
   */
  blockedAt(longest: number): MonotonicMs | undefined {
    return this.broken && !this.blocked ? later(this.#since, longest + 1) : undefined;
  }

  /** Marks the beam as blocked if it has been broken for longer than `longest` ms. Returns true once for each block. */
  noticeBlocked(now: MonotonicMs, longest: number): boolean {
    if (!this.broken || this.blocked || now - this.#since <= longest) return false;
    this.blocked = true;
    return true;
  }

  get state(): BeamState {
    return {
      ...(this.broken !== undefined && { broken: this.broken }),
      state: this.blocked ? 'blocked' : 'clear',
      since: this.#since,
      breaks: this.#breaks,
      alone: this.alone,
      blockedMs: this.#blockedMs,
    };
  }

  #become(broken: boolean | undefined, at: MonotonicMs): void {
    if (this.blocked) this.#blockedMs += at - this.#since;
    this.broken = broken;
    this.blocked = false;
    this.#since = at;
  }
}
