/** Runs something after some time (ms); the function it returns cancels that. */
export type SetTimer = (after: number, run: () => void) => () => void;

/** Does not keep the process alive. */
export const setNodeTimer: SetTimer = (after, run) => {
  const timer = setTimeout(run, after).unref();
  return () => clearTimeout(timer);
};

interface CycleOptions {
  /** From the end of one work to the begin of the next (ms). */
  readonly interval: number;
  readonly work: () => void | Promise<void>;
  /** Receives errors of the work; the cycle continues. */
  readonly onError: (error: unknown) => void;
  readonly setTimer: SetTimer;
}

/**
 * Work that repeats while it is started.
 *
 * Invariant: while it is started, either work is in flight or a timer is set, and never more than one of them. Without
 * it every stream freezes, or the database is read twice at a time.
 */
export class Cycle {
  readonly #options: CycleOptions;
  #isStarted = false;
  #isWorking = false;
  #clearTimer: (() => void) | undefined;

  constructor(options: CycleOptions) {
    this.#options = options;
  }

  /** The first work begins immediately, unless one is in flight. */
  start(): void {
    this.#isStarted = true;
    if (!this.#isWorking && this.#clearTimer === undefined) void this.#work();
  }

  /** Starts no further work; one that is in flight ends. */
  stop(): void {
    this.#isStarted = false;
    this.#clearTimer?.();
    this.#clearTimer = undefined;
  }

  async #work(): Promise<void> {
    const { interval, work, onError, setTimer } = this.#options;
    this.#clearTimer = undefined;
    this.#isWorking = true;
    try {
      await work();
    } catch (error) {
      onError(error);
    } finally {
      this.#isWorking = false;
      if (this.#isStarted) this.#clearTimer = setTimer(interval, () => this.#work());
    }
  }
}
