/**
 * When which unit is to do something that each does once in `every` ms, each at a moment of its own. Times are
 * those of one clock, in ms.
 *
 * What is due does not wait for what came before: were the next message sent only after the answer to the last
 * one, a server that stands still for a second would be asked once in that second instead of as often as by
 * real units, and its pause would hardly show (coordinated omission).
 */
export class Timetable {
  readonly #every: number;
  readonly #begin: number;
  readonly #moments: readonly { readonly unit: number; readonly offset: number }[];
  #done = 0;

  /** `random` gives numbers from 0 to below 1. */
  constructor(options: { units: number; every: number; begin: number; random: () => number }) {
    this.#every = options.every;
    this.#begin = options.begin;
    this.#moments = Array.from({ length: options.units }, (_, unit) => ({
      unit,
      offset: options.random() * options.every,
    })).sort((a, b) => a.offset - b.offset);
  }

  /** Tells once of everything that has become due until `now`, with the instant at which it was. */
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
