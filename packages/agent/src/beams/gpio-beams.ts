import type { MonotonicMs } from '@visitor-counter/domain/time';
import { BackOff, type BackOffOptions } from '@visitor-counter/service/back-off';
import { pause } from '@visitor-counter/service/pause';
import { later, latest, monotonicMs, monotonicNow } from '../clock/time.ts';
import { readLevels, requireLibgpiod, watchLines } from '../gpio/libgpiod.ts';
import { GpioError } from '../gpio/run-tool.ts';
import type { Beams, BeamsCalls, BeamsHealth, Edge, Levels, Restart } from './beams.ts';
import { unknownLevels } from './beams.ts';
import { LineMap, type Lines } from './line-map.ts';

/** Times of reading (ms). */
interface Times {
  /** The pauses between attempts to read the lines. */
  readonly backOff: BackOffOptions;
  /** After a failure, the lines count as read when they were read for this long without another one. */
  readonly healthyAfter: number;
  /** How long the lines are quiet before their levels are read again; default: that of `LineMap`. */
  readonly quietFor?: number;
}

const defaultTimes: Times = { backOff: { first: 500, longest: 30_000 }, healthyAfter: 60_000 };

/** A reader that does not watch the lines after this time (ms) hangs. */
const bannerWithin = 30_000;
/** An edge that is not reported within this time (ms) is late. */
const reportedWithin = 100;
/** How far a stamp may be after the arrival of its edge (ms). */
const mostAhead = 10_000;

type Batch = readonly (Edge | Restart)[];

/**
 * Beams on GPIO lines, read through libgpiod's tools. A failure is reported and reading is retried without limit, after
 * growing pauses. Each start returns the present levels, and so does each later reading of the levels that shows a lost edge.
 * Reading begins when this is constructed; edges that the caller has not pulled yet wait in the pipe of `gpiomon`.
 *
 * Invariants: the lines count as read when the reader has proved it: by its banner and, after a failure, by the time for which
 * it runs. A reader that ends again and again never counts as read, even if each attempt begins well. No edge is returned with
 * a stamp before that of a returned edge, or before a moment that `now` has returned: it gets the earliest allowed stamp.
 */
export class GpioBeams implements Beams {
  readonly levels = unknownLevels;
  readonly stampClock = 'monotonic';
  readonly live = true;
  readonly repeats = false;
  readonly #lines: LineMap;
  readonly #calls: BeamsCalls;
  readonly #times: Times;
  readonly #stopping = new AbortController();
  readonly #batches: AsyncGenerator<Batch>;
  readonly #first: Promise<IteratorResult<Batch>>;
  #passed = monotonicNow();
  #late = 0;
  #restarts = 0;
  #problem: string | undefined = 'not read yet';
  /** Since when the reader runs; undefined while it does not. */
  #readingSince: MonotonicMs | undefined;

  constructor(lines: Lines, calls: BeamsCalls = {}, times: Partial<Times> = {}) {
    this.#lines = new LineMap(lines);
    this.#calls = calls;
    this.#times = { ...defaultTimes, ...times };
    this.#batches = this.#readUntil(this.#stopping.signal);
    this.#first = this.#batches.next();
  }

  now(): MonotonicMs {
    this.#passed = latest(this.#passed, later(monotonicNow(), -reportedWithin));
    return this.#passed;
  }

  get health(): BeamsHealth {
    return {
      problem: this.#isProven ? undefined : this.#problem,
      restarts: this.#restarts,
      lostEdges: this.#lines.lost,
      lateEdges: this.#late,
    };
  }

  async *edges(signal: AbortSignal): AsyncGenerator<Batch> {
    const stop = () => this.#stopping.abort();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    for (let next = await this.#first; !next.done; next = await this.#batches.next()) yield next.value;
  }

  get #isProven(): boolean {
    if (this.#readingSince === undefined) return false;
    return this.#restarts === 0 || monotonicNow() - this.#readingSince >= this.#times.healthyAfter;
  }

  async *#readUntil(signal: AbortSignal): AsyncGenerator<Batch> {
    const backOff = new BackOff(this.#times.backOff);
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
        this.#calls.onProblem?.(problem, retryIn);
        yield [this.#restart(unknownLevels)];
        await pause(retryIn, signal);
      }
    }
  }

  /** Reads until it fails or `signal` aborts. The levels cannot be read while the edges are watched. */
  async *#read(signal: AbortSignal): AsyncGenerator<Batch> {
    const { names, bias } = this.#lines;
    await requireLibgpiod();
    while (!signal.aborted) {
      const levels = this.#lines.levels(await readLevels(names, bias));
      const quiet = new AbortController();
      const stop = AbortSignal.any([signal, quiet.signal]);
      const endIn = (ms: number) => setTimeout(() => quiet.abort(), ms).unref();
      let isWatching = false;
      let timer = endIn(bannerWithin);
      try {
        for await (const edges of watchLines(names, bias, stop)) {
          clearTimeout(timer);
          if (!isWatching && levels) yield [this.#restart(levels)];
          if (this.#readingSince === undefined) this.#calls.onReading?.();
          this.#readingSince ??= monotonicNow();
          isWatching = true;
          if (edges.length > 0) yield this.#inOrder(edges.flatMap((edge) => this.#lines.edge(edge)));
          timer = endIn(this.#times.quietFor ?? this.#lines.quietFor);
        }
      } finally {
        clearTimeout(timer);
      }
      if (!isWatching && !signal.aborted) throw new GpioError('gpiomon hangs', 'it is started again');
    }
  }

  /**
   * The edges of a piece of output in order of their stamps: the kernel orders those of one line only. A stamp far after the
   * arrival of its edge is wrong, and replaced; otherwise all edges until then would be late.
   */
  #inOrder(edges: readonly Edge[]): readonly Edge[] {
    const arrived = monotonicNow();
    return edges
      .toSorted((one, other) => one.at - other.at)
      .map((edge) => {
        if (edge.at < this.#passed) this.#late += 1;
        const at = edge.at > arrived + mostAhead ? arrived : edge.at;
        this.#passed = latest(this.#passed, at);
        return { ...edge, at: this.#passed };
      });
  }

  #restart(levels: Levels): Restart {
    this.#passed = latest(this.#passed, monotonicMs(Math.floor(monotonicNow())));
    return { at: this.#passed, levels };
  }
}
