import type { MonotonicMs } from '@visitor-counter/domain/time';
import { BackOff, type BackOffOptions } from '@visitor-counter/service/back-off';
import { pause } from '@visitor-counter/service/pause';
import type { GpioBeamsConfig, GpioLineConfig } from '../config/agent-config.ts';
import type { Bias, GpioTools, LineEdge } from '../gpio/gpio-tools.ts';
import { openGpioTools } from '../gpio/libgpiod.ts';
import { watchLines } from '../gpio/run-tool.ts';
import type { BeamName, Beams, BeamsHealth, BeamsStart, Edge, Levels, Restart } from './beams.ts';
import { unknownLevels } from './beams.ts';
import { inOrder, LiveEdges } from './live-edges.ts';

/** Two beams, or one. */
type Lines = Omit<GpioBeamsConfig, 'source'>;

interface GpioParts extends Pick<BeamsStart, 'onProblem' | 'onReading' | 'tools'> {
  /** CLOCK_MONOTONIC, with which the kernel stamps edges. */
  readonly clock: () => MonotonicMs;
  /** The pauses between attempts to read the lines. */
  readonly backOff?: BackOffOptions;
  /** Finds the tools on PATH. */
  readonly env: NodeJS.ProcessEnv;
}

/** After lines were read for this long (ms), the next failure begins with the shortest pause again. */
const healthyAfter = 60_000;

const defaultBackOff: BackOffOptions = { first: 500, longest: 30_000 };

/**
 * Beams on GPIO lines, read through libgpiod's tools. A failure is reported and reading is retried without
 * limit, after growing pauses. Each start returns the present levels.
 */
export class GpioBeams implements Beams {
  readonly levels = unknownLevels;
  readonly stampClock = 'monotonic';
  readonly live = true;
  readonly repeats = false;
  readonly #lines: LineMap;
  readonly #parts: GpioParts;
  readonly #held = new LiveEdges();
  /** Used for the first reading only: other tools may be installed later. */
  #tools: GpioTools | undefined;
  #restarts = 0;
  #problem: string | undefined = 'not read yet';

  constructor(lines: Lines, parts: GpioParts) {
    this.#lines = new LineMap(lines);
    this.#parts = parts;
    this.#tools = parts.tools;
  }

  now(): MonotonicMs {
    return this.#held.certainUntil(this.#parts.clock());
  }

  get health(): BeamsHealth {
    return {
      problem: this.#problem,
      restarts: this.#restarts,
      lostEdges: this.#lines.lost,
      lateEdges: this.#held.late,
    };
  }

  async *edges(signal: AbortSignal): AsyncGenerator<readonly (Edge | Restart)[]> {
    const { clock, onProblem } = this.#parts;
    const backOff = new BackOff(this.#parts.backOff ?? defaultBackOff);
    while (!signal.aborted) {
      const began = clock();
      try {
        yield* this.#read(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (clock() - began >= healthyAfter) backOff.reset();
        const problem = error instanceof Error ? error : new Error(String(error));
        const retryIn = backOff.next();
        this.#problem = problem.message;
        this.#restarts += 1;
        onProblem?.(problem, retryIn);
        yield [this.#restart(unknownLevels)];
        await pause(retryIn, signal);
      }
    }
  }

  /** Reads until it fails or `signal` aborts. */
  async *#read(signal: AbortSignal): AsyncGenerator<readonly (Edge | Restart)[]> {
    const { env, clock, onReading } = this.#parts;
    const tools = this.#tools ?? (await openGpioTools(env));
    this.#tools = undefined;
    const { names, bias } = this.#lines;
    const levels = this.#lines.levels(await tools.levels(names, bias));
    const command = await tools.monitor(names, bias);
    yield [this.#restart(levels)];
    this.#problem = undefined;
    onReading?.();
    const edges = this.#lines.edges(watchLines(command, tools.major, env, signal));
    yield* inOrder(edges, this.#held, clock);
  }

  #restart(levels: Levels): Restart {
    return { at: this.#held.restart(this.#parts.clock()), levels };
  }
}

/** Converts levels of lines to states of beams, and counts lost edges. */
class LineMap {
  readonly names: readonly string[];
  readonly bias: Bias;
  readonly #beams = new Map<string, { beam: BeamName; activeLow: boolean; broken: boolean | undefined }>();
  lost = 0;

  constructor({ a, b, bias = 'pull-up' }: Lines) {
    this.bias = bias;
    this.names = b ? [a.line, b.line] : [a.line];
    const add = (beam: BeamName, { line, activeLow = false }: GpioLineConfig) =>
      this.#beams.set(line, { beam, activeLow, broken: undefined });
    add('a', a);
    if (b) add('b', b);
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
    return [{ at, beam: line.beam, broken }];
  }
}
