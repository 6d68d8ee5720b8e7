import type { MonotonicMs } from '@visitor-counter/domain/time';
import type { BeamName, Edge, Levels, Restart } from '../beams/beams.ts';
import { earliest, endOfTime, monotonicMs } from '../clock/time.ts';
import { type DetectorSettings, defaultDetectorSettings } from '../config/agent-config.ts';
import type { BeamState, CrossingDetector, DetectedCrossing } from './crossing-detector.ts';
import { type Fact, type Facts, noFacts, TrackedBeam } from './crossing-detector.ts';
import { DebouncedEdges } from './debounce.ts';
import { clear, type Path, PathTrail, passageFrom, type Stepped, stepPassage } from './path.ts';

const unknownLevels: Levels = { a: undefined, b: undefined };
const none: readonly DetectedCrossing[] = [];

/**
 * Turns the edges of two beams into crossings.
 *
 * Invariant: a path is `clear` exactly while both beams are clear. In the phases `unknown` (a beam was broken
 * or unknown at the start, or both beams changed simultaneously) and `blocked`, nothing is counted until both
 * beams are clear; otherwise a hand that is removed from a beam would count as a visitor.
 *
 * The moment of a crossing is when the person cleared the second beam, even if a follower delayed the
 * decision.
 */
export class Detector implements CrossingDetector {
  readonly #settings: DetectorSettings;
  #edges: DebouncedEdges;
  readonly #beams: Record<BeamName, TrackedBeam>;
  readonly #facts: Record<Fact, number> = { ...noFacts };
  readonly #trail = new PathTrail();
  #path: Path = clear;
  #crossings: DetectedCrossing[] = [];

  constructor(
    settings: DetectorSettings = defaultDetectorSettings,
    levels: Levels = unknownLevels,
    at = monotonicMs(0),
  ) {
    this.#settings = settings;
    this.#edges = new DebouncedEdges(levels, settings);
    this.#beams = { a: new TrackedBeam(levels.a, at), b: new TrackedBeam(levels.b, at) };
    if (levels.a || levels.b) this.#path = { phase: 'unknown' };
  }

  edge(edge: Edge): readonly DetectedCrossing[] {
    return this.#processEdges(this.#edges.add(edge), edge.at);
  }

  advance(now: MonotonicMs): readonly DetectedCrossing[] {
    return this.#processEdges(this.#edges.advance(now), now);
  }

  restart({ at, levels }: Restart): readonly DetectedCrossing[] {
    const crossings = this.#processEdges(this.#edges.advance(endOfTime), at);
    this.#edges = new DebouncedEdges(levels, this.#settings);
    this.#beams.a.restart(levels.a, at);
    this.#beams.b.restart(levels.b, at);
    this.#path = levels.a || levels.b ? { phase: 'unknown' } : clear;
    return crossings;
  }

  get nextDecision(): MonotonicMs | undefined {
    const { blockedAfter } = this.#settings;
    const { a, b } = this.#beams;
    const open = [this.#edges.decidedAt, a.blockedAt(blockedAfter), b.blockedAt(blockedAfter)];
    const next = earliest(...open.map((at) => at ?? endOfTime));
    return next === endOfTime ? undefined : next;
  }

  get facts(): Facts {
    return { ...this.#facts };
  }

  get beams(): Readonly<Record<BeamName, BeamState>> {
    return { a: this.#beams.a.state, b: this.#beams.b.state };
  }

  get lastPath(): string {
    return this.#trail.last;
  }

  get phase(): string {
    return 'near' in this.#path ? `${this.#path.phase} from ${this.#path.near}` : this.#path.phase;
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
    if (certainUntil < endOfTime) this.#noticeBlocked(certainUntil);
    if (this.#crossings.length === 0) return none;
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
      this.#count('resyncs');
      if (edge.broken) this.#change({ ...edge, broken: false });
    }
    this.#change(edge);
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
        if (path.phase === 'unknown') this.#count('unclear');
        this.#path = clear;
        return;
      default: {
        const side = beam === path.near ? 'near' : 'far';
        const step = broken ? (`${side}-breaks` as const) : (`${side}-clears` as const);
        this.#applyStep(path.near, stepPassage(path, step, at, this.#settings));
      }
    }
  }

  #noticeBlocked(now: MonotonicMs): void {
    for (const beam of ['a', 'b'] as const) {
      if (!this.#beams[beam].noticeBlocked(now, this.#settings.blockedAfter)) continue;
      this.#count('blocked');
      this.#path = { phase: 'blocked' };
    }
  }

  #applyStep(near: BeamName, { path, crossing, fact }: Stepped): void {
    this.#path = path;
    if (path === clear || crossing) this.#trail.end();
    this.#trail.enter(path);
    if (fact === 'partialPaths') this.#beams[near].alone += 1;
    if (crossing) this.#crossings.push(crossing);
    if (fact) this.#count(fact);
  }

  #count(fact: Fact): void {
    this.#facts[fact] += 1;
  }
}
