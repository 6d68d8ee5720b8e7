import { join } from 'node:path';
import type { JournalPosition } from './journal-position.ts';
import type { JournalState } from './journal-state.ts';
import { bytesOf, endOf, type Segment, segmentName } from './segment-format.ts';

/**
 * The acknowledged position is stored after this many acknowledgements, or after this time (ms). Each write wears a
 * memory card by some 70 KB, and a lost position only causes crossings to be sent again.
 */
const storeAfterCrossings = 500;
const storeAfter = 600_000;

/** The shortest time between two writes, if many crossings were acknowledged (ms). */
const storeEvery = 1_000;

/**
 * Stores the acknowledged position, and removes segments before it: those that were acknowledged long enough ago, and the
 * oldest ones if all of them take too much space.
 *
 * A segment is removed only after the position after it is durable. If a power cut undoes a removal, the segment is removed
 * again. The last segment stays, so that the sequence and the instant of the last crossing are never lost.
 */
export class JournalCleaner {
  readonly #state: JournalState;
  readonly #position: JournalPosition;
  #timer: NodeJS.Timeout | undefined;
  /** Whether the timer was set to `storeEvery`. */
  #isSoon = false;

  constructor(state: JournalState, position: JournalPosition) {
    this.#state = state;
    this.#position = position;
    state.changes.acknowledged.add(() => this.#schedule());
  }

  /** Removes the oldest acknowledged segment even if it would be kept longer; resolves with whether there was one. */
  async makeRoom(): Promise<boolean> {
    const [oldest] = this.#state.segments;
    await this.#clean(() => this.#acknowledged().slice(0, 1));
    if (!oldest || this.#state.segments.includes(oldest)) return false;
    this.#state.settings.onRoomMade(oldest);
    return true;
  }

  /** Stores the position if it has moved, and removes the segments that are not kept. */
  clean(): Promise<void> {
    return this.#clean(() => this.#notKept());
  }

  #schedule(): void {
    const isSoon = this.#position.through - this.#position.stored >= storeAfterCrossings;
    if (this.#timer && (!isSoon || this.#isSoon)) return;
    clearTimeout(this.#timer);
    this.#isSoon = isSoon;
    this.#timer = setTimeout(() => void this.clean(), isSoon ? storeEvery : storeAfter).unref();
  }

  #clean(freed: () => readonly Segment[]): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#position.store(() => this.#free(freed())).catch(this.#state.settings.onProblem);
  }

  #acknowledged(): readonly Segment[] {
    const { stored } = this.#position;
    return this.#state.segments.slice(0, -1).filter((segment) => endOf(segment) <= stored);
  }

  #notKept(): readonly Segment[] {
    const { expired } = this.#position;
    const { keepWithin } = this.#state.settings;
    const acknowledged = this.#acknowledged();
    const kept = acknowledged.findIndex(
      (segment, index) => endOf(segment) > expired && bytesOf(acknowledged.slice(index)) <= keepWithin,
    );
    return kept === -1 ? acknowledged : acknowledged.slice(0, kept);
  }

  async #free(segments: readonly Segment[]): Promise<void> {
    const { directory, settings } = this.#state;
    for (const segment of segments) {
      this.#state.segments = this.#state.segments.filter((other) => other !== segment);
      try {
        await settings.files.remove(join(directory, segmentName(segment)));
      } catch (error) {
        this.#state.segments = [segment, ...this.#state.segments];
        throw error;
      }
    }
  }
}
