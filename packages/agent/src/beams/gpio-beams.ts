import type { MonotonicMs } from '@visitor-counter/domain/time';
import { BackOff, type BackOffOptions } from '@visitor-counter/service/back-off';
import { pause } from '@visitor-counter/service/pause';
import { type LineEdge, monitorCommand, readLevels, requireLibgpiod } from '../gpio/libgpiod.ts';
import { GpioError } from '../gpio/run-tool.ts';
import { watchLines } from '../gpio/watch-lines.ts';
import type { Beams, BeamsHealth, BeamsStart, Edge, Levels, Restart } from './beams.ts';
import { unknownLevels } from './beams.ts';
import { LineMap, type Lines } from './line-map.ts';
import { inOrder, LiveEdges } from './live-edges.ts';

interface GpioParts extends Pick<BeamsStart, 'onProblem' | 'onReading'> {
  /** CLOCK_MONOTONIC, with which the kernel stamps edges. */
  readonly clock: () => MonotonicMs;
  /** The pauses between attempts to read the lines. */
  readonly backOff?: BackOffOptions;
  /** After a failure, the lines count as read when they were read for this long without another one (ms). */
  readonly healthyAfter?: number;
  /** After how long without an edge the levels are read again (ms); default: that of `LineMap`. */
  readonly quietFor?: number;
  /** Finds the tools on PATH. */
  readonly env: NodeJS.ProcessEnv;
}

/** A reader that does not watch the lines after this time (ms) hangs. */
const bannerWithin = 30_000;

const defaultBackOff: BackOffOptions = { first: 500, longest: 30_000 };

/**
 * Beams on GPIO lines, read through libgpiod's tools. A failure is reported and reading is retried without limit, after
 * growing pauses. Each start returns the present levels, and so does each later reading of the levels that shows a lost edge.
 *
 * Invariant: the lines count as read when the reader has proved it: by its banner and, after a failure, by the time for which
 * it runs. A reader that ends again and again never counts as read, even if each attempt begins well.
 */
export class GpioBeams implements Beams {
  readonly levels = unknownLevels;
  readonly stampClock = 'monotonic';
  readonly live = true;
  readonly repeats = false;
  readonly #lines: LineMap;
  readonly #parts: GpioParts;
  readonly #held = new LiveEdges();
  readonly #healthyAfter: number;
  #restarts = 0;
  #problem: string | undefined = 'not read yet';
  /** Since when the reader runs; undefined while it does not. */
  #readingSince: MonotonicMs | undefined;

  constructor(lines: Lines, parts: GpioParts) {
    this.#lines = new LineMap(lines);
    this.#parts = parts;
    this.#healthyAfter = parts.healthyAfter ?? 60_000;
  }

  now(): MonotonicMs {
    return this.#held.certainUntil(this.#parts.clock());
  }

  get health(): BeamsHealth {
    return {
      problem: this.#isProven ? undefined : this.#problem,
      restarts: this.#restarts,
      lostEdges: this.#lines.lost,
      lateEdges: this.#held.late,
    };
  }

  async *edges(signal: AbortSignal): AsyncGenerator<readonly (Edge | Restart)[]> {
    const { onProblem } = this.#parts;
    const backOff = new BackOff(this.#parts.backOff ?? defaultBackOff);
    while (!signal.aborted) {
      try {
        yield* this.#read(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (this.#isProven) backOff.reset();
        const problem = error instanceof Error ? error : new Error(String(error));
        const retryIn = backOff.next();
        this.#problem = problem.message;
        this.#readingSince = undefined;
        this.#restarts += 1;
        this.#lines.forget();
        onProblem?.(problem, retryIn);
        yield [this.#restart(unknownLevels)];
        await pause(retryIn, signal);
      }
    }
  }

  get #isProven(): boolean {
    if (this.#readingSince === undefined) return false;
    return this.#restarts === 0 || this.#parts.clock() - this.#readingSince >= this.#healthyAfter;
  }

  /** Reads until it fails or `signal` aborts. */
  async *#read(signal: AbortSignal): AsyncGenerator<readonly (Edge | Restart)[]> {
    const { env, clock, onReading } = this.#parts;
    const { names, bias } = this.#lines;
    await requireLibgpiod(env);
    while (!signal.aborted) {
      const levels = this.#lines.levels(await readLevels(names, bias, env));
      const quiet = new AbortController();
      const reader = watchLines(monitorCommand(names, bias), env, AbortSignal.any([signal, quiet.signal]));
      try {
        await this.#untilWatching(reader, quiet, signal);
        if (levels) yield [this.#restart(levels)];
        if (this.#readingSince === undefined) onReading?.();
        this.#readingSince ??= clock();
        yield* inOrder(this.#untilQuiet(reader, quiet), this.#held, clock);
      } finally {
        await reader.return();
      }
    }
  }

  /** Waits for the banner of a reader. Throws GpioError if none comes. */
  async #untilWatching(reader: AsyncIterator<unknown>, quiet: AbortController, signal: AbortSignal) {
    const late = setTimeout(() => quiet.abort(), bannerWithin);
    const { done } = await reader.next().finally(() => clearTimeout(late));
    if (done && !signal.aborted) throw new GpioError('gpio-stopped', 'gpiomon hangs', 'it is started again');
  }

  /** The edges of a reader, which `quiet` ends when the levels must be read again: that is impossible while it runs. */
  async *#untilQuiet(
    reader: AsyncIterable<readonly LineEdge[]>,
    quiet: AbortController,
  ): AsyncGenerator<readonly Edge[]> {
    const endWhenQuiet = () =>
      setTimeout(() => quiet.abort(), this.#parts.quietFor ?? this.#lines.quietFor).unref();
    let timer = endWhenQuiet();
    try {
      for await (const batch of reader) {
        const edges = batch.flatMap((edge) => this.#lines.edge(edge));
        clearTimeout(timer);
        timer = endWhenQuiet();
        yield edges;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #restart(levels: Levels): Restart {
    return { at: this.#held.restart(this.#parts.clock()), levels };
  }
}
