import type { Crossing } from '@visitor-counter/domain/crossing';
import { type BeamState, beamStates } from './beam-state.ts';
import { type DetectorSettings, defaultDetectorSettings } from './detector-settings.ts';
import type { Edge, Levels, Line, Restart } from './edge.ts';
import { type Fact, type Facts, noFacts } from './facts.ts';
import { clear, type Path, passageFrom } from './path.ts';
import { SettledEdges } from './settled-edges.ts';
import { type Stepped, stepPassage } from './step-path.ts';

const unknownLevels: Levels = { a: undefined, b: undefined };
const nobody: readonly Crossing[] = [];

/**
 * Turns the edges of two beams into crossings. It has no clock: edges and `advance` move its time.
 *
 * Invariant: a path is `clear` exactly while both lines are clear. From `unknown` (the levels at the start,
 * or both lines changing at once) and `blocked` nothing is counted until both lines are clear again; were it
 * otherwise, a hand taken off a beam would count as a visitor.
 *
 * A crossing carries the instant at which its person cleared the second beam, also where a follower kept it
 * from being certain until later. Crossings come out in order of their instants.
 */
export class Detector {
  readonly #settings: DetectorSettings;
  #edges: SettledEdges;
  readonly #lines: Record<Line, LineState>;
  readonly #facts: Record<Fact, number> = { ...noFacts };
  #path: Path = clear;
  #crossings: Crossing[] = [];

  constructor(settings: DetectorSettings = defaultDetectorSettings, levels: Levels = unknownLevels, at = 0) {
    this.#settings = settings;
    this.#edges = new SettledEdges(levels, settings);
    const line = (broken: boolean | undefined) => ({ broken, since: at, breaks: 0, blocked: false });
    this.#lines = { a: line(levels.a), b: line(levels.b) };
    if (levels.a || levels.b) this.#path = { phase: 'unknown' };
  }

  /** Takes an edge, no earlier than the one before it, and gives the crossings that it makes certain. */
  edge(edge: Edge): readonly Crossing[] {
    return this.#take(this.#edges.add(edge), edge.at);
  }

  /** The crossings that are certain once no edge before `now` can come; `Infinity` at the end of input. */
  advance(now: number): readonly Crossing[] {
    return this.#take(this.#edges.advance(now), now);
  }

  /**
   * Reading began anew: decides what was in doubt by what is known, and takes the levels as they are now.
   * Whoever was under the beams meanwhile cannot be told, so nothing is counted before both are clear.
   */
  restart({ at, levels }: Restart): readonly Crossing[] {
    const crossings = this.#take(this.#edges.advance(Number.POSITIVE_INFINITY), at);
    this.#edges = new SettledEdges(levels, this.#settings);
    for (const line of ['a', 'b'] as const) {
      const state = this.#lines[line];
      if (state.broken === levels[line]) continue;
      Object.assign(state, { broken: levels[line], since: at, blocked: false });
    }
    this.#path = levels.a || levels.b ? { phase: 'unknown' } : clear;
    return crossings;
  }

  /** When `advance` has something to decide if no edge comes before; undefined when nothing is open. */
  get nextDecision(): number | undefined {
    const blocking = (['a', 'b'] as const)
      .map((line) => this.#lines[line])
      .filter(({ broken, blocked }) => broken && !blocked)
      .map(({ since }) => since + this.#settings.blockedAfter + 1);
    const settlesAt = this.#edges.settlesAt;
    const earliest = Math.min(settlesAt ?? Infinity, ...blocking);
    return earliest === Infinity ? undefined : earliest;
  }

  get facts(): Facts {
    return { ...this.#facts };
  }

  get beams(): Readonly<Record<Line, BeamState>> {
    return beamStates(this.#lines);
  }

  #take(edges: readonly Edge[], now: number): readonly Crossing[] {
    for (let index = 0; index < edges.length; index += 1) {
      const edge = edges[index];
      const next = edges[index + 1];
      if (edge === undefined) continue;
      this.#noticeBlocked(edge.at);
      if (next?.at === edge.at && next.line !== edge.line) {
        this.#together(edge, next);
        index += 1;
      } else {
        this.#single(edge);
      }
    }
    const certainUntil = Math.min(now, this.#edges.openSince);
    if (certainUntil < Infinity) this.#noticeBlocked(certainUntil);
    if (this.#crossings.length === 0) return nobody;
    return this.#crossings.splice(0);
  }

  /**
   * Two lines changed in the same millisecond. From clear to both broken nothing tells where it came from,
   * from both broken to clear nothing tells where it went. Otherwise one left a beam as it, or the next
   * one, entered the other: the order that fits is the one in which a body moves on.
   */
  #together(first: Edge, second: Edge): void {
    const phase = this.#path.phase;
    if (first.broken && second.broken && phase === 'clear') this.#path = { phase: 'unknown' };
    if (!first.broken && !second.broken && (phase === 'both' || phase === 'both-again')) {
      this.#path = { phase: 'unknown' };
    }
    const clearsFirst = phase === 'far';
    const swap = first.broken === clearsFirst;
    this.#single(swap ? second : first);
    this.#single(swap ? first : second);
  }

  #single(edge: Edge): void {
    if (this.#lines[edge.line].broken === edge.broken) {
      this.#count('resyncs');
      if (edge.broken) this.#change({ ...edge, broken: false });
    }
    this.#change(edge);
  }

  #change({ at, line, broken }: Edge): void {
    const state = this.#lines[line];
    if (state.broken === broken) return;
    const wasUnknown = state.broken === undefined;
    state.broken = broken;
    state.since = at;
    state.blocked = false;
    if (broken) state.breaks += 1;
    if (wasUnknown && !broken) this.#path = { phase: 'unknown' };
    this.#step(line, broken, at);
  }

  #step(line: Line, broken: boolean, at: number): void {
    const path = this.#path;
    switch (path.phase) {
      case 'clear':
        if (broken) this.#path = passageFrom(line, at);
        return;
      case 'unknown':
      case 'blocked':
        if (this.#lines.a.broken || this.#lines.b.broken) return;
        if (path.phase === 'unknown') this.#count('unclear');
        this.#path = clear;
        return;
      default: {
        const beam = line === path.near ? 'near' : 'far';
        this.#apply(stepPassage(path, broken ? `${beam}-breaks` : `${beam}-clears`, at, this.#settings));
      }
    }
  }

  #noticeBlocked(now: number): void {
    for (const line of ['a', 'b'] as const) {
      const state = this.#lines[line];
      if (!state.broken || state.blocked || now - state.since <= this.#settings.blockedAfter) continue;
      state.blocked = true;
      this.#count('blocked');
      this.#path = { phase: 'blocked' };
    }
  }

  #apply({ path, crossing, fact }: Stepped): void {
    this.#path = path;
    if (crossing) this.#crossings.push(crossing);
    if (fact) this.#count(fact);
  }

  #count(fact: Fact): void {
    this.#facts[fact] += 1;
  }
}

interface LineState {
  broken: boolean | undefined;
  since: number;
  breaks: number;
  blocked: boolean;
}
