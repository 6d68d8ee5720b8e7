import type { Delivery } from './delivery.ts';
import type { Sent } from './in-flight.ts';

/**
 * Only `committed` frees the journal: behind another broker a PUBACK says that this broker has the message.
 *
 * Invariant: what `committed` returns was sent over this connection and lies within what was committed.
 * One message is on its way until something is committed, then as many as the window holds: while nobody
 * behind the broker stores anything, its queue is not filled with the same crossings again and again.
 */
export class CommittedDelivery implements Delivery {
  readonly #window: number;
  /** The ends of messages that were sent and are not committed, ascending. */
  #ends: Sent[] = [];
  #open = false;
  #next: number;

  constructor(acknowledged: number, window: number) {
    this.#next = acknowledged + 1;
    this.#window = window;
  }

  get next(): number {
    return this.#next;
  }

  /** Counts only what was sent since it last began anew; what was sent before may never arrive. */
  get hasRoom(): boolean {
    const onTheirWay = this.#ends.filter(({ through }) => through < this.#next).length;
    return onTheirWay < (this.#open ? this.#window : 1);
  }

  /** Whether anything waits to be committed. */
  get waits(): boolean {
    return this.#ends.length > 0;
  }

  sent(sent: Sent): void {
    const others = this.#ends.filter(({ through }) => through !== sent.through);
    this.#ends = [...others, sent].sort((a, b) => a.through - b.through);
    this.#next = sent.through + 1;
  }

  restart(acknowledged: number): void {
    this.#ends = [];
    this.#next = acknowledged + 1;
  }

  acknowledged(): undefined {}

  /** Everything up to `through` is committed; returns the newest message that this covers, if it covers one. */
  committed(through: number): Sent | undefined {
    const covered = this.#ends.filter((sent) => sent.through <= through);
    const newest = covered.at(-1);
    if (newest === undefined) return undefined;
    this.#ends = this.#ends.slice(covered.length);
    this.#next = Math.max(this.#next, newest.through + 1);
    this.#open = true;
    return newest;
  }

  /** Nothing was committed for too long: begins again after `acknowledged`, with one message. */
  beginAnew(acknowledged: number): void {
    this.#next = acknowledged + 1;
    this.#open = false;
  }
}
