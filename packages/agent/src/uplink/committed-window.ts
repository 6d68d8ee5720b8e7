import type { DeliveryWindow, Prefix, Sent } from './delivery-window.ts';

/** The end of a message, or of a lost range, that is not committed yet. */
interface End extends Prefix {
  readonly isLost: boolean;
}

/**
 * Only `commit` frees the journal: the PUBACK of an external broker only means that this broker has the message.
 *
 * Invariant: everything up to the result of `commit` was sent over this connection or declared lost, and is committed.
 * Until something is committed there is one message in flight, then up to `window`: while no gateway stores anything, the
 * broker's queue is not filled with the same crossings again and again.
 */
export class CommittedWindow implements DeliveryWindow {
  readonly #window: number;
  /** Ascending. */
  #ends: End[] = [];
  #open = false;
  #next: number;
  #at: number;

  constructor(acknowledged: Prefix, window: number) {
    this.#next = acknowledged.through + 1;
    this.#at = acknowledged.at;
    this.#window = window;
  }

  get next(): number {
    return this.#next;
  }

  /** Counts only messages since the last `sendAgain`: earlier ones may never arrive. */
  get hasRoom(): boolean {
    const inFlight = this.#ends.filter(({ through, isLost }) => !isLost && through < this.#next).length;
    return inFlight < (this.#open ? this.#window : 1);
  }

  /** Whether anything is not committed yet. */
  get isPending(): boolean {
    return this.#ends.length > 0;
  }

  addSent({ first, through, at }: Sent): void {
    if (first !== this.#next || through < first)
      throw new Error(`sequences ${first} to ${through} do not follow ${this.#next - 1}`);
    this.#append({ through, at, isLost: false });
  }

  addLost(through: number): undefined {
    this.#append({ through, at: this.#at, isLost: true });
  }

  acknowledge(): undefined {}

  /** Everything up to `through` is committed; returns the newest end that this covers, if any. */
  commit(through: number): Prefix | undefined {
    const covered = this.#ends.filter((end) => end.through <= through);
    const newest = covered.at(-1);
    if (newest === undefined) return undefined;
    this.#ends = this.#ends.slice(covered.length);
    this.#next = Math.max(this.#next, newest.through + 1);
    this.#open = true;
    return { through: newest.through, at: newest.at };
  }

  /** Nothing was committed for too long: sends everything after the given prefix again, one message first. */
  sendAgain({ through, at }: Prefix): void {
    this.#next = through + 1;
    this.#at = at;
    this.#open = false;
  }

  /** The messages in flight belong to an ended journal, and will not be committed. */
  restart(acknowledged: Prefix): void {
    this.#ends = [];
    this.sendAgain(acknowledged);
  }

  #append(end: End): void {
    const others = this.#ends.filter(({ through }) => through !== end.through);
    this.#ends = [...others, end].sort((a, b) => a.through - b.through);
    this.#next = end.through + 1;
    this.#at = end.at;
  }
}
