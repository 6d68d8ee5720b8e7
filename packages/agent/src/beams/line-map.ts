import type { Bias, LineEdge } from '../gpio/gpio-tools.ts';
import type { Edge, Levels, Line } from './edge.ts';

/** One beam's line. */
export interface GpioLine {
  /** The line's name, such as GPIO17. */
  readonly line: string;
  /** True where a low level means that the beam is broken. */
  readonly activeLow: boolean;
}

/** The lines of a door: two beams, or one. */
export interface GpioDoor {
  readonly a: GpioLine;
  readonly b: GpioLine | undefined;
  readonly bias: Bias;
}

/** Converts levels of lines to states of beams, and counts lost edges. */
export class LineMap {
  readonly names: readonly string[];
  readonly bias: Bias;
  readonly #beams = new Map<string, { beam: Line; activeLow: boolean; broken: boolean | undefined }>();
  lost = 0;

  constructor({ a, b, bias }: GpioDoor) {
    this.bias = bias;
    this.names = b ? [a.line, b.line] : [a.line];
    this.#beams.set(a.line, { beam: 'a', activeLow: a.activeLow, broken: undefined });
    if (b) this.#beams.set(b.line, { beam: 'b', activeLow: b.activeLow, broken: undefined });
  }

  /** The states of the beams, from levels in the order of `names`. A beam that does not exist is always clear. */
  levels(high: readonly boolean[]): Levels {
    const levels = { a: false, b: false };
    for (const [index, name] of this.names.entries()) {
      const line = this.#beams.get(name);
      if (!line) continue;
      line.broken = high[index] !== line.activeLow;
      levels[line.beam] = line.broken;
    }
    return levels;
  }

  async *edges(batches: AsyncIterable<readonly LineEdge[]>): AsyncGenerator<readonly Edge[]> {
    for await (const batch of batches) yield batch.flatMap((edge) => this.#edge(edge));
  }

  #edge({ line: name, high, at }: LineEdge): readonly Edge[] {
    const line = this.#beams.get(name);
    if (!line) return [];
    const broken = high !== line.activeLow;
    if (line.broken === broken) this.lost += 1;
    line.broken = broken;
    return [{ at, line: line.beam, broken }];
  }
}
