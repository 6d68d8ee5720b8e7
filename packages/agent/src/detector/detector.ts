import type { MonotonicMs } from '@visitor-counter/domain/time';
import { type BeamName, type Edge, type Levels, type Restart, unknownLevels } from '../beams/beams.ts';
import { earliest, endOfTime, monotonicMs } from '../clock/time.ts';
import { type DetectorSettings, type DoorConfig, defaultDetectorSettings } from '../config/agent-config.ts';
import { DebouncedEdges } from './debounce.ts';
import { DoorPaths } from './door-paths.ts';
import { type Flickering, FlickerJudge } from './flicker.ts';
import type { DetectedCrossing, Facts } from './path.ts';
import type { BeamState } from './tracked-beam.ts';

/**
 * Turns the edges of two beams, or of one, into crossings. It has no clock: edges and `advance` move its time, which is the
 * clock of the edges' stamps. Crossings are returned in order of their moments.
 *
 * The moment of a crossing is when the person cleared the second beam, even if a follower delayed the decision.
 */
export class Detector {
  readonly #settings: DetectorSettings;
  readonly #hasOneBeam: boolean;
  readonly #paths: DoorPaths;
  readonly #flicker = new FlickerJudge();
  #edges: DebouncedEdges;

  /** The detector of a door's configuration. It begins with the levels at the moment `at`. */
  constructor(
    { detector, oneBeam }: Pick<DoorConfig, 'detector' | 'oneBeam'> = {},
    levels: Levels = unknownLevels,
    at = monotonicMs(0),
  ) {
    this.#settings = { ...defaultDetectorSettings, ...detector };
    this.#hasOneBeam = oneBeam !== undefined;
    this.#paths = new DoorPaths(this.#settings, oneBeam, levels, at);
    this.#edges = new DebouncedEdges(levels, this.#settings);
  }

  /** Processes an edge, which must not be earlier than the previous one. Returns the crossings that are certain now. */
  edge(edge: Edge): readonly DetectedCrossing[] {
    if (this.#hasOneBeam && edge.beam === 'b') return [];
    if (edge.broken) this.#paths.beams[edge.beam].bounces += 1;
    return this.#process(this.#edges.add(edge), edge.at);
  }

  /**
   * Returns the crossings that are certain if no further edge before `now` arrives. Called with `endOfTime` at the end
   * of the input.
   */
  advance(now: MonotonicMs): readonly DetectedCrossing[] {
    return this.#process(this.#edges.advance(now), now);
  }

  /**
   * Processes a restart of reading: decides everything that was uncertain, and continues with the present levels. Nothing
   * is counted before all beams are clear, since it is not known who was under the beams meanwhile.
   */
  restart({ at, levels }: Restart): readonly DetectedCrossing[] {
    const crossings = this.#process(this.#edges.advance(endOfTime), at);
    this.#edges = new DebouncedEdges(levels, this.#settings);
    this.#paths.restart(levels, at);
    return crossings;
  }

  /** When `advance` can decide something if no edge arrives earlier; `endOfTime` if nothing is undecided. */
  get nextDecision(): MonotonicMs {
    const { blockedAfter } = this.#settings;
    const { a, b } = this.#paths.beams;
    return earliest(this.#edges.decidedAt, a.blockedAt(blockedAfter), b.blockedAt(blockedAfter));
  }

  /** The facts that were detected in addition to crossings. */
  get facts(): Facts {
    return { ...this.#paths.facts };
  }

  /** The beams of the door: `a` and `b`, or only `a`. */
  get beams(): Readonly<Partial<Record<BeamName, BeamState>>> {
    const { a, b } = this.#paths.beams;
    return this.#hasOneBeam ? { a: a.state } : { a: a.state, b: b.state };
  }

  /** The beam that flickers, or `door` if both do; undefined if none does. */
  get flickering(): Flickering | undefined {
    return this.#flicker.flickering;
  }

  /** See `DoorPaths`. */
  get lastPath(): string {
    return this.#paths.last;
  }

  #process(edges: readonly Edge[], now: MonotonicMs): readonly DetectedCrossing[] {
    const paths = this.#paths;
    for (let index = 0; index < edges.length; index += 1) {
      const edge = edges[index];
      const next = edges[index + 1];
      if (edge === undefined) continue;
      paths.noticeBlocked(edge.at);
      if (next?.at === edge.at && next.beam !== edge.beam) {
        paths.addSimultaneous(edge, next);
        index += 1;
      } else {
        paths.add(edge);
      }
    }
    const certainUntil = earliest(now, this.#edges.undecidedSince);
    if (certainUntil < endOfTime) {
      paths.noticeBlocked(certainUntil);
      const { a, b } = paths.beams;
      const { counted: crossings, facts } = paths;
      const seen = { a, b: this.#hasOneBeam ? undefined : b, crossings, turnBacks: facts.turnBacks };
      this.#flicker.update(certainUntil, seen);
    }
    return paths.take();
  }
}
