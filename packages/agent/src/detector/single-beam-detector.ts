import type { MonotonicMs } from '@visitor-counter/domain/time';
import type { Edge, Restart } from '../beams/beams.ts';
import { beginOfTime, earliest, endOfTime, later, monotonicMs } from '../clock/time.ts';
import type { DetectorSettings, SingleBeamSettings } from '../config/agent-config.ts';
import type { BeamState, CrossingDetector, DetectedCrossing } from './crossing-detector.ts';
import { type Fact, type Facts, noFacts, TrackedBeam } from './crossing-detector.ts';
import { BeamDebouncer } from './debounce.ts';

const none: readonly DetectedCrossing[] = [];

/**
 * Counts the breaks of one beam, at a door that people pass in one direction only: each break that is long enough for a
 * person is a crossing, at the moment when the beam clears.
 *
 * A break that begins within `refractory` after a crossing belongs to the same person: an arm, a bag, a trolley. As
 * with two beams, nothing is counted from a beam that was broken at the start, or blocked.
 */
export class SingleBeamDetector implements CrossingDetector {
  readonly #settings: DetectorSettings;
  readonly #single: SingleBeamSettings;
  readonly #facts: Record<Fact, number> = { ...noFacts };
  readonly #beam: TrackedBeam;
  #debouncer: BeamDebouncer;
  /** When the present break began; undefined if there is none, or if it must not be counted. */
  #brokenAt: MonotonicMs | undefined;
  #countedAt = beginOfTime;

  constructor(
    settings: DetectorSettings,
    single: SingleBeamSettings,
    level: boolean | undefined,
    at = monotonicMs(0),
  ) {
    this.#settings = settings;
    this.#single = single;
    this.#beam = new TrackedBeam(level, at);
    this.#debouncer = this.#debouncerFrom(level);
  }

  edge({ at, beam, broken }: Edge): readonly DetectedCrossing[] {
    if (beam !== 'a') return none;
    const crossings = this.advance(at);
    this.#debouncer.add(at, broken);
    return crossings;
  }

  advance(now: MonotonicMs): readonly DetectedCrossing[] {
    const edge = this.#debouncer.decide(now);
    const crossing = edge && this.#processEdge(edge);
    const certainUntil = earliest(now, this.#debouncer.undecidedSince ?? now);
    if (certainUntil < endOfTime) this.#noticeBlocked(certainUntil);
    return crossing ? [crossing] : none;
  }

  restart({ at, levels }: Restart): readonly DetectedCrossing[] {
    const edge = this.#debouncer.decide(endOfTime);
    const crossing = edge && this.#processEdge(edge);
    this.#debouncer = this.#debouncerFrom(levels.a);
    this.#beam.restart(levels.a, at);
    this.#brokenAt = undefined;
    return crossing ? [crossing] : none;
  }

  get nextDecision(): MonotonicMs | undefined {
    const blockedAt = this.#beam.blockedAt(this.#settings.blockedAfter) ?? endOfTime;
    const next = earliest(this.#debouncer.decidedAt ?? endOfTime, blockedAt);
    return next === endOfTime ? undefined : next;
  }

  get facts(): Facts {
    return { ...this.#facts };
  }

  get beams(): { readonly a: BeamState } {
    return { a: this.#beam.state };
  }

  get lastPath(): string {
    return '';
  }

  get phase(): string {
    if (this.#beam.blocked) return 'blocked';
    if (!this.#beam.broken) return 'clear';
    return this.#brokenAt === undefined ? 'unknown' : 'under the beam';
  }

  #processEdge({ at, broken }: Edge): DetectedCrossing | undefined {
    this.#noticeBlocked(at);
    const { blocked } = this.#beam;
    const known = this.#beam.broken !== undefined;
    if (!this.#beam.change(broken, at)) {
      this.#facts.resyncs += 1;
      if (broken) this.#brokenAt = at;
      return undefined;
    }
    const began = this.#brokenAt;
    this.#brokenAt = broken && known ? at : undefined;
    if (broken) return undefined;
    if (began !== undefined) return this.#endBreak(began, at);
    if (known && !blocked) this.#facts.unclear += 1;
    return undefined;
  }

  #endBreak(began: MonotonicMs, at: MonotonicMs): DetectedCrossing | undefined {
    const { shortestBreak, refractory, direction } = this.#single;
    if (at - began < shortestBreak) return this.#countFact('noise');
    if (began < later(this.#countedAt, refractory)) return this.#countFact('repeats');
    this.#countedAt = at;
    if (at - began > this.#settings.slowPassage) this.#countFact('slow');
    return { at, direction: direction === 'in' ? 1 : -1 };
  }

  #noticeBlocked(now: MonotonicMs): void {
    if (!this.#beam.noticeBlocked(now, this.#settings.blockedAfter)) return;
    this.#facts.blocked += 1;
    this.#brokenAt = undefined;
  }

  #countFact(fact: Fact): undefined {
    this.#facts[fact] += 1;
  }

  #debouncerFrom(level: boolean | undefined): BeamDebouncer {
    const { debounce, longestBounce } = this.#settings;
    return new BeamDebouncer('a', level, debounce, longestBounce);
  }
}
