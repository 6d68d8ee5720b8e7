import type { MonotonicMs } from '@visitor-counter/domain/time';
import { type BeamName, type Edge, type Levels, otherBeam } from '../beams/beams.ts';
import { beginOfTime, later } from '../clock/time.ts';
import type { DetectorSettings, OneBeamSettings } from '../config/agent-config.ts';
import {
  clear,
  type DetectedCrossing,
  endBreak,
  type Fact,
  noFacts,
  type Path,
  passageFrom,
  type Stepped,
  stepPassage,
} from './path.ts';
import { TrackedBeam } from './tracked-beam.ts';

/** The longest time from the first beam to the second one of a person, if the edges between them may be lost (ms). */
const longestHalfPath = 3_000;

/**
 * The beams of a door, and the path under them.
 *
 * Invariant: a path is `clear` exactly while no beam is known to be broken. In the phases `unknown` (a beam was broken at
 * the start, as its level or its first edge shows, or both beams changed simultaneously) and `blocked`, nothing is counted
 * until both beams are clear; otherwise a hand that is removed from a beam would count as a visitor.
 */
export class DoorPaths {
  readonly beams: Readonly<Record<BeamName, TrackedBeam>>;
  readonly facts: Record<Fact, number> = { ...noFacts };
  /** How many crossings were detected. */
  counted = 0;
  /** The beams that the last completed path broke, such as `a, both, b`; empty before the first path. */
  last = '';
  readonly #settings: DetectorSettings;
  readonly #oneBeam: OneBeamSettings | undefined;
  #path: Path;
  /** The beams that this path has broken, for the installer who aligns them. */
  #places: string[] = [];
  #crossings: DetectedCrossing[] = [];
  #countedAt = beginOfTime;

  constructor(
    settings: DetectorSettings,
    oneBeam: OneBeamSettings | undefined,
    levels: Levels,
    at: MonotonicMs,
  ) {
    this.#settings = settings;
    this.#oneBeam = oneBeam;
    this.beams = { a: new TrackedBeam(levels.a, at), b: new TrackedBeam(levels.b, at) };
    this.#path = levels.a || levels.b ? { phase: 'unknown' } : clear;
  }

  /** Continues with the present levels after a restart of reading. */
  restart(levels: Levels, at: MonotonicMs): void {
    this.beams.a.restart(levels.a, at);
    this.beams.b.restart(levels.b, at);
    this.#path = levels.a || levels.b ? { phase: 'unknown' } : clear;
  }

  /** Returns the crossings since the last call. */
  take(): readonly DetectedCrossing[] {
    return this.#crossings.splice(0);
  }

  /** Gives up the path if a beam is blocked at `now`. */
  noticeBlocked(now: MonotonicMs): void {
    for (const beam of ['a', 'b'] as const) {
      if (!this.beams[beam].noticeBlocked(now, this.#settings.blockedAfter)) continue;
      this.facts.blocked += 1;
      this.#path = { phase: 'blocked' };
    }
  }

  /**
   * Two beams changed in the same millisecond. If both beams broke, it is not known from which side the person came; if
   * both cleared, not to which side they went. Otherwise one beam cleared while the other broke: we assume the order in
   * which a person moves forward.
   */
  addSimultaneous(first: Edge, second: Edge): void {
    const phase = this.#path.phase;
    if (first.broken && second.broken && phase === 'clear') this.#path = { phase: 'unknown' };
    if (!first.broken && !second.broken && (phase === 'both' || phase === 'both-again')) {
      this.#path = { phase: 'unknown' };
    }
    const clearsFirst = phase === 'far';
    const swap = first.broken === clearsFirst;
    this.add(swap ? second : first);
    this.add(swap ? first : second);
  }

  /** Adds a debounced edge, in order of time. */
  add(edge: Edge): void {
    if (this.beams[edge.beam].broken === edge.broken) {
      this.facts.resyncs += 1;
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
    const { broken, blocked, since } = this.beams[other];
    const isHalfWalked = path.phase === 'blocked' || (path.phase === 'both' && path.near === beam);
    const isPaused = since > later(this.beams[beam].since, longestHalfPath);
    if (isHalfWalked && isPaused && broken && !blocked) {
      this.beams[beam].change(false, at);
      this.facts.unclear += 1;
      this.#endTrail();
      this.#enter(passageFrom(other, since));
    } else {
      this.#change({ at, beam, broken: false });
    }
  }

  #change({ at, beam, broken }: Edge): void {
    const state = this.beams[beam];
    const wasUnknown = state.broken === undefined;
    if (!state.change(broken, at)) return;
    if (wasUnknown && !broken) this.#path = { phase: 'unknown' };
    this.#step(beam, broken, at);
  }

  #step(beam: BeamName, broken: boolean, at: MonotonicMs): void {
    const path = this.#path;
    switch (path.phase) {
      case 'clear':
        if (broken) this.#enter(passageFrom(beam, at));
        return;
      case 'unknown':
      case 'blocked':
        if (this.beams.a.broken || this.beams.b.broken) return;
        if (path.phase === 'unknown') this.facts.unclear += 1;
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

  #applyStep(near: BeamName, { path, crossing, fact }: Stepped): void {
    if (path === clear || crossing) this.#endTrail();
    this.#enter(path);
    if (fact === 'partialPaths') this.beams[near].alone += 1;
    if (crossing) {
      this.#crossings.push(crossing);
      this.#countedAt = crossing.at;
      this.counted += 1;
    }
    if (fact) this.facts[fact] += 1;
  }

  #enter(path: Path): void {
    this.#path = path;
    const place = placeOf(path);
    if (place !== undefined && place !== this.#places.at(-1)) this.#places.push(place);
  }

  #endTrail(): void {
    this.last = this.#places.join(', ');
    this.#places = [];
  }
}

/** The beams that are broken. */
function placeOf(path: Path): string | undefined {
  if (!('near' in path)) return undefined;
  if (path.phase.startsWith('both')) return 'both';
  if (path.phase.startsWith('near')) return path.near;
  return otherBeam(path.near);
}
