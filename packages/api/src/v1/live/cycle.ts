/**
 * Work that repeats for as long as it is wanted.
 *
 * - `stopped`: no timer is set and no work is in flight.
 * - `working`: work is in flight; the next follows `interval` after its end.
 * - `waiting`: the timer of the next work is set.
 * - `stopping`: work is in flight and none is wanted after it. Wanted again, it is `working`.
 */
export type CycleState = 'stopped' | 'working' | 'waiting' | 'stopping';

export type CycleEvent = 'start' | 'stop' | 'finished' | 'elapsed';

export interface CycleStep {
  readonly state: CycleState;
  readonly action?: 'work' | 'set-timer' | 'clear-timer';
}

/** What follows an event. One that cannot occur in a state changes nothing. */
export function step(state: CycleState, event: CycleEvent): CycleStep {
  switch (event) {
    case 'start':
      if (state === 'stopped') return { state: 'working', action: 'work' };
      return { state: state === 'stopping' ? 'working' : state };
    case 'stop':
      if (state === 'waiting') return { state: 'stopped', action: 'clear-timer' };
      return { state: state === 'working' ? 'stopping' : state };
    case 'finished':
      if (state === 'working') return { state: 'waiting', action: 'set-timer' };
      return { state: state === 'stopping' ? 'stopped' : state };
    case 'elapsed':
      return state === 'waiting' ? { state: 'working', action: 'work' } : { state };
  }
}

/** Runs something after some time (ms); the function it returns cancels that. */
export type SetTimer = (after: number, run: () => void) => () => void;

/** Does not keep the process alive. */
export const setNodeTimer: SetTimer = (after, run) => {
  const timer = setTimeout(run, after).unref();
  return () => clearTimeout(timer);
};

export interface CycleOptions {
  /** From the end of one work to the begin of the next (ms). */
  readonly interval: number;
  readonly work: () => void | Promise<void>;
  /** Receives errors of the work; the cycle continues. */
  readonly onError: (error: unknown) => void;
  readonly setTimer: SetTimer;
}

/**
 * Invariant: while it is started, either work is in flight or a timer is set, and never more than one of them. Without
 * it every stream freezes, or the database is read twice at a time.
 */
export class Cycle {
  readonly #options: CycleOptions;
  #state: CycleState = 'stopped';
  #clearTimer = () => {};

  constructor(options: CycleOptions) {
    this.#options = options;
  }

  get state(): CycleState {
    return this.#state;
  }

  /** The first work begins immediately, unless one is in flight. */
  start(): void {
    this.#on('start');
  }

  stop(): void {
    this.#on('stop');
  }

  #on(event: CycleEvent): void {
    const { interval, setTimer } = this.#options;
    const { state, action } = step(this.#state, event);
    this.#state = state;
    if (action === 'work') void this.#work();
    if (action === 'clear-timer') this.#clearTimer();
    if (action === 'set-timer') this.#clearTimer = setTimer(interval, () => this.#on('elapsed'));
  }

  async #work(): Promise<void> {
    try {
      await this.#options.work();
    } catch (error) {
      this.#options.onError(error);
    } finally {
      this.#on('finished');
    }
  }
}
