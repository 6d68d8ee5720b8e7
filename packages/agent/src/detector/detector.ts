import type { MonotonicMs } from '@visitor-counter/domain/time';
import {
  type BeamName,
  type Edge,
  type Levels,
  otherBeam,
  type Restart,
  unknownLevels,
} from '../beams/beams.ts';
import { beginOfTime, earliest, endOfTime, later, monotonicMs } from '../clock/time.ts';
import {
  type DetectorSettings,
  type DoorConfig,
  defaultDetectorSettings,
  type OneBeamSettings,
} from '../config/agent-config.ts';
import { DebouncedEdges } from './debounce.ts';
import { type Flickering, FlickerJudge } from './flicker.ts';
import {
  clear,
  type DetectedCrossing,
  endBreak,
  type Fact,
  type Facts,
  noFacts,
  type Path,
  passageFrom,
  type Stepped,
  stepPassage,
} from './path.ts';
import { PathTrail } from './path-trail.ts';
import { type BeamState, TrackedBeam } from './tracked-beam.ts';

/** The longest time from the first beam to the second one of a person, if the edges between them may be lost (ms). */
const longestHalfPath = 3_000;

/**
 * Turns the edges of two beams, or of one, into crossings. It has no clock: edges and `advance` move its time, which is the
 * clock of the edges' stamps. Crossings are returned in order of their moments.
 *
 * Invariant: a path is `clear` exactly while no beam is known to be broken. In the phases `unknown` (a beam was broken at
 * the start, as its level or its first edge shows, or both beams changed simultaneously) and `blocked`, nothing is counted
 * until both beams are clear; otherwise a hand that is removed from a beam would count as a visitor.
 *
 * The moment of a crossing is when the person cleared the second beam, even if a follower delayed the decision.
 */
export class Detector {
  readonly #settings: DetectorSettings;
  readonly #oneBeam: OneBeamSettings | undefined;
  #edges: DebouncedEdges;
  readonly #beams: Record<BeamName, TrackedBeam>;
  readonly #facts: Record<Fact, number> = { ...noFacts };
  readonly #trail = new PathTrail();
  readonly #flicker = new FlickerJudge();
  #counted = 0;
  #path: Path = clear;
  #crossings: DetectedCrossing[] = [];
  #countedAt = beginOfTime;

  /** The detector of a door's configuration. It begins with the levels at the moment `at`. */
  constructor(
    { detector, oneBeam }: Pick<DoorConfig, 'detector' | 'oneBeam'> = {},
    levels: Levels = unknownLevels,
    at = monotonicMs(0),
  ) {
    this.#settings = { ...defaultDetectorSettings, ...detector };
    this.#oneBeam = oneBeam;
    this.#edges = new DebouncedEdges(levels, this.#settings);
    this.#beams = { a: new TrackedBeam(levels.a, at), b: new TrackedBeam(levels.b, at) };
    if (levels.a || levels.b) this.#path = { phase: 'unknown' };
  }

  /** Processes an edge, which must not be earlier than the previous one. Returns the crossings that are certain now. */
  edge(edge: Edge): readonly DetectedCrossing[] {
    if (this.#oneBeam && edge.beam === 'b') return [];
    if (edge.broken) this.#beams[edge.beam].bounces += 1;
    return this.#processEdges(this.#edges.add(edge), edge.at);
  }

  /**
   * Returns the crossings that are certain if no further edge before `now` arrives. Called with `endOfTime` at the end
   * of the input.
   */
  advance(now: MonotonicMs): readonly DetectedCrossing[] {
    return this.#processEdges(this.#edges.advance(now), now);
  }

  /**
   * Processes a restart of reading: decides everything that was uncertain, and continues with the present levels. Nothing
   * is counted before all beams are clear, since it is not known who was under the beams meanwhile.
   */
  restart({ at, levels }: Restart): readonly DetectedCrossing[] {
    const crossings = this.#processEdges(this.#edges.advance(endOfTime), at);
    this.#edges = new DebouncedEdges(levels, this.#settings);
    this.#beams.a.restart(levels.a, at);
    this.#beams.b.restart(levels.b, at);
    this.#path = levels.a || levels.b ? { phase: 'unknown' } : clear;
    return crossings;
  }

  /** When `advance` can decide something if no edge arrives earlier; `endOfTime` if nothing is undecided. */
  get nextDecision(): MonotonicMs {
    const { blockedAfter } = this.#settings;
    const { a, b } = this.#beams;
    return earliest(this.#edges.decidedAt, a.blockedAt(blockedAfter), b.blockedAt(blockedAfter));
  }

  /** The facts that were detected in addition to crossings. */
  get facts(): Facts {
    return { ...this.#facts };
  }

  /** The beams of the door: `a` and `b`, or only `a`. */
  get beams(): Readonly<Partial<Record<BeamName, BeamState>>> {
    const { a, b } = this.#beams;
    return this.#oneBeam ? { a: a.state } : { a: a.state, b: b.state };
  }

  /** The beam that flickers, or `door` if both do; undefined if none does. */
  get flickering(): Flickering | undefined {
    return this.#flicker.flickering;
  }

  /** The beams that the last completed path broke, in order, such as `a, both, b`; empty before the first path. */
  get lastPath(): string {
    return this.#trail.last;
  }

  #processEdges(edges: readonly Edge[], now: MonotonicMs): readonly DetectedCrossing[] {
    for (let index = 0; index < edges.length; index += 1) {
      const edge = edges[index];
      const next = edges[index + 1];
      if (edge === undefined) continue;
      this.#noticeBlocked(edge.at);
      if (next?.at === edge.at && next.beam !== edge.beam) {
        this.#processSimultaneous(edge, next);
        index += 1;
      } else {
        this.#processEdge(edge);
      }
    }
    const certainUntil = earliest(now, this.#edges.undecidedSince);
    if (certainUntil < endOfTime) {
      this.#noticeBlocked(certainUntil);
      const { a, b } = this.#beams;
      const { turnBacks } = this.#facts;
      const seen = { a, b: this.#oneBeam ? undefined : b, crossings: this.#counted, turnBacks };
      this.#flicker.update(certainUntil, seen);
    }
    return this.#crossings.splice(0);
  }

  /**
   * Two beams changed in the same millisecond. If both beams broke, it is not known from which side the person came; if
   * both cleared, not to which side they went. Otherwise one beam cleared while the other broke: we assume the order in
   * which a person moves forward.
   */
  #processSimultaneous(first: Edge, second: Edge): void {
    const phase = this.#path.phase;
    if (first.broken && second.broken && phase === 'clear') this.#path = { phase: 'unknown' };
    if (!first.broken && !second.broken && (phase === 'both' || phase === 'both-again')) {
      this.#path = { phase: 'unknown' };
    }
    const clearsFirst = phase === 'far';
    const swap = first.broken === clearsFirst;
    this.#processEdge(swap ? second : first);
    this.#processEdge(swap ? first : second);
  }

  #processEdge(edge: Edge): void {
    if (this.#beams[edge.beam].broken === edge.broken) {
      this.#facts.resyncs += 1;
      if (edge.broken) this.#clearBeforeBreak(edge);
    }
    this.#change(edge);
  }

  /**
   * A beam that counts as broken breaks again, so its clearing was lost. If the other beam broke after a pause, somebody else
   * comes from there, and the path that began at this beam is given up.
   */
  #clearBeforeBreak({ at, beam }: Edge): void {
    const path = this.#path;
    const other = otherBeam(beam);
    const { broken, blocked, since } = this.#beams[other];
    const isHalfWalked = path.phase === 'blocked' || (path.phase === 'both' && path.near === beam);
    const isPaused = since > later(this.#beams[beam].since, longestHalfPath);
    if (isHalfWalked && isPaused && broken && !blocked) {
      this.#beams[beam].change(false, at);
      this.#facts.unclear += 1;
      this.#path = passageFrom(other, since);
      this.#trail.end();
      this.#trail.enter(this.#path);
    } else {
      this.#change({ at, beam, broken: false });
    }
  }

  #change({ at, beam, broken }: Edge): void {
    const state = this.#beams[beam];
    const wasUnknown = state.broken === undefined;
    if (!state.change(broken, at)) return;
    if (wasUnknown && !broken) this.#path = { phase: 'unknown' };
    this.#step(beam, broken, at);
  }

  #step(beam: BeamName, broken: boolean, at: MonotonicMs): void {
    const path = this.#path;
    switch (path.phase) {
      case 'clear':
        if (broken) this.#path = passageFrom(beam, at);
        this.#trail.enter(this.#path);
        return;
      case 'unknown':
      case 'blocked':
        if (this.#beams.a.broken || this.#beams.b.broken) return;
        if (path.phase === 'unknown') this.#facts.unclear += 1;
        this.#path = clear;
        return;
      default: {
        const side = beam === path.near ? 'near' : 'far';
        const step = broken ? (`${side}-breaks` as const) : (`${side}-clears` as const);
        this.#applyStep(
          path.near,
          this.#oneBeam
            ? endBreak(path, at, this.#settings, this.#oneBeam, this.#countedAt)
            : stepPassage(path, step, at, this.#settings),
        );
      }
    }
  }

  #noticeBlocked(now: MonotonicMs): void {
    for (const beam of ['a', 'b'] as const) {
      if (!this.#beams[beam].noticeBlocked(now, this.#settings.blockedAfter)) continue;
      this.#facts.blocked += 1;
      this.#path = { phase: 'blocked' };
    }
  }

  #applyStep(near: BeamName, { path, crossing, fact }: Stepped): void {
    this.#path = path;
    if (path === clear || crossing) this.#trail.end();
    this.#trail.enter(path);
    if (fact === 'partialPaths') this.#beams[near].alone += 1;
    if (crossing) {
      this.#crossings.push(crossing);
      this.#countedAt = crossing.at;
      this.#counted += 1;
    }
    if (fact) this.#facts[fact] += 1;
  }
}
