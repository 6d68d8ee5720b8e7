import type { Crossing } from '@visitor-counter/domain/crossing';
import { isDirectionDoubtful, RunningSum } from '@visitor-counter/domain/direction-doubt';

/** The crossings since the start, for display. */
export class Tally {
  in = 0;
  out = 0;
  /** Crossings that were lost because neither the disk nor the memory had room. */
  givenUp = 0;
  /** The latest crossing; undefined before the first. */
  last: Crossing | undefined;
  readonly #sum = new RunningSum();

  /** Whether clearly more people left than entered since the start. */
  get isDirectionDoubtful(): boolean {
    return isDirectionDoubtful(0, this.#sum);
  }

  add(crossings: readonly Crossing[]): void {
    for (const { direction } of crossings) {
      this.#sum.add(direction);
      if (direction === 1) this.in += 1;
      else this.out += 1;
    }
    this.last = crossings.at(-1) ?? this.last;
  }
}
