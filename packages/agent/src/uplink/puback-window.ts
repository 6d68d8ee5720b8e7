import type { DeliveryWindow, Prefix, Sent } from './delivery-window.ts';

/**
 * A PUBACK frees the journal: the server sends it only after the crossings are committed.
 *
 * Invariant: a returned prefix is contiguous, of acknowledged messages and lost sequences. A PUBACK that overtakes an
 * earlier one has no effect before that one arrives, and a sequence that was neither sent nor declared lost is an error.
 * Otherwise an acknowledgement would free crossings that the server has never received.
 */
export class PubackWindow implements DeliveryWindow {
  readonly #window: number;
  /** In order of their sequences. */
  #parts: { readonly sent: Sent; readonly isLost: boolean; isAcknowledged: boolean }[] = [];
  #next: number;
  #at: number;

  /** At most `window` messages are in flight. */
  constructor(acknowledged: Prefix, window: number) {
    this.#window = window;
    this.#next = acknowledged.through + 1;
    this.#at = acknowledged.at;
  }

  get next(): number {
    return this.#next;
  }

  get hasRoom(): boolean {
    return this.#parts.filter(({ isLost }) => !isLost).length < this.#window;
  }

  addSent(sent: Sent): void {
    this.#append(sent, false);
  }

  addLost(through: number): Prefix | undefined {
    this.#append({ first: this.#next, through, at: this.#at }, true);
    return this.#removeCompleted();
  }

  acknowledge(sent: Sent): Prefix | undefined {
    const part = this.#parts.find((candidate) => candidate.sent === sent);
    if (part) part.isAcknowledged = true;
    return this.#removeCompleted();
  }

  restart(acknowledged: Prefix): void {
    this.#parts = [];
    this.#next = acknowledged.through + 1;
    this.#at = acknowledged.at;
  }

  #append(sent: Sent, isLost: boolean): void {
    if (sent.first !== this.#next || sent.through < sent.first)
      throw new Error(`sequences ${sent.first} to ${sent.through} do not follow ${this.#next - 1}`);
    this.#parts.push({ sent, isLost, isAcknowledged: isLost });
    this.#next = sent.through + 1;
    this.#at = sent.at;
  }

  #removeCompleted(): Prefix | undefined {
    const open = this.#parts.findIndex(({ isAcknowledged }) => !isAcknowledged);
    const done = this.#parts.splice(0, open === -1 ? this.#parts.length : open);
    return done.at(-1)?.sent;
  }
}
