/**
 * The times at which units act: each unit once in `every` ms, at its own moment. Times are of one clock, in ms.
 *
 * A due message does not wait for the answer to the one before. Otherwise a server that pauses for a second would receive
 * one message in that second instead of as many as from real units, and its pause would hardly show (coordinated
 * omission).
 */
export class Timetable {
  readonly #every: number;
  readonly #begin: number;
  readonly #moments: readonly { readonly unit: number; readonly offset: number }[];
  #done = 0;

  /** `random` returns numbers from 0 to below 1. */
  constructor(options: { units: number; every: number; begin: number; random: () => number }) {
    this.#every = options.every;
    this.#begin = options.begin;
    this.#moments = Array.from({ length: options.units }, (_, unit) => ({
      unit,
      offset: options.random() * options.every,
    })).sort((a, b) => a.offset - b.offset);
  }

  /** Returns everything that has become due until `now`, once, with the instants at which it was due. */
  takeDue(now: number, due: (unit: number, at: number) => void): void {
    for (;;) {
      const moment = this.#moments[this.#done % this.#moments.length];
      if (moment === undefined) return;
      const turn = Math.floor(this.#done / this.#moments.length);
      const at = this.#begin + turn * this.#every + moment.offset;
      if (at > now) return;
      this.#done += 1;
      due(moment.unit, at);
    }
  }
}
