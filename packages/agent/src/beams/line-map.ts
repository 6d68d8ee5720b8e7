import type { GpioBeamsConfig, GpioLineConfig } from '../config/agent-config.ts';
import type { Bias, LineEdge } from '../gpio/libgpiod.ts';
import type { BeamName, Edge, Levels } from './beams.ts';

/** Two beams, or one. */
export type Lines = Omit<GpioBeamsConfig, 'source'>;

/**
 * After how long without an edge the levels are read again (ms), since an edge may have been lost: soon after one was, before
 * a broken beam counts as blocked, and from time to time.
 */
const afterLostEdge = 1_000;
const whileBroken = 20_000;
const longestQuiet = 600_000;

/** Converts levels of lines to states of beams, and counts lost edges. */
export class LineMap {
  readonly names: readonly string[];
  readonly bias: Bias;
  readonly #beams = new Map<string, { beam: BeamName; activeLow: boolean; broken: boolean | undefined }>();
  /** Two edges of the same kind on a line, or another level than that of the last edge. */
  lost = 0;
  #lostBefore = 0;
  /** The levels were read since the last edge, and were as the edges have shown. */
  #isConfirmed = false;

  constructor({ a, b, bias = 'pull-up' }: Lines) {
    this.bias = bias;
    this.names = b ? [a.line, b.line] : [a.line];
    const add = (beam: BeamName, { line, activeLow = false }: GpioLineConfig) =>
      this.#beams.set(line, { beam, activeLow, broken: undefined });
    add('a', a);
    if (b) add('b', b);
  }

  /** Forgets the states of the beams when reading has failed. */
  forget(): void {
    for (const line of this.#beams.values()) line.broken = undefined;
  }

  /**
   * The states of the beams, from levels in the order of `names`, if one of them differs from what the edges have shown. A
   * beam that does not exist is always clear.
   */
  levels(high: readonly boolean[]): Levels | undefined {
    const levels = { a: false, b: false };
    let isNews = false;
    for (const [index, name] of this.names.entries()) {
      const line = this.#beams.get(name);
      if (!line) continue;
      const broken = high[index] !== line.activeLow;
      if (line.broken !== broken) {
        isNews = true;
        if (line.broken !== undefined) this.lost += 1;
      }
      line.broken = broken;
      levels[line.beam] = broken;
    }
    this.#isConfirmed = !isNews;
    this.#lostBefore = this.lost;
    return isNews ? levels : undefined;
  }

  edge({ line: name, high, at }: LineEdge): readonly Edge[] {
    const line = this.#beams.get(name);
    if (!line) return [];
    const broken = high !== line.activeLow;
    if (line.broken === broken) this.lost += 1;
    line.broken = broken;
    this.#isConfirmed = false;
    return [{ at, beam: line.beam, broken }];
  }

  /** See `afterLostEdge`. */
  get quietFor(): number {
    if (this.lost > this.#lostBefore) return afterLostEdge;
    const isBroken = [...this.#beams.values()].some(({ broken }) => broken);
    return isBroken && !this.#isConfirmed ? whileBroken : longestQuiet;
  }
}
