/** A message in flight: its first and last sequence, and the last crossing's instant (epoch ms). */
export interface Sent {
  readonly first: number;
  readonly through: number;
  readonly at: number;
}

/** A prefix that is acknowledged: its last sequence, and the instant (epoch ms) of the last crossing sent in it. */
export type Prefix = Omit<Sent, 'first'>;

/**
 * The messages in flight, in order of their sequences, and the sequences between them that are declared lost.
 *
 * Invariant: the result of `acknowledged` covers a contiguous prefix of messages and of sequences. A PUBACK that overtakes
 * an earlier one has no effect before that one arrives, and a sequence that was neither sent nor declared lost is an error.
 * Otherwise an acknowledgement would free crossings that the server has never received.
 */
export class InFlight {
  readonly #parts: { readonly sent: Sent; readonly isLost: boolean; isAcknowledged: boolean }[] = [];
  #next: number;
  #at: number;

  constructor(acknowledged: Prefix) {
    this.#next = acknowledged.through + 1;
    this.#at = acknowledged.at;
  }

  /** The sequence after all that was sent or declared lost. */
  get next(): number {
    return this.#next;
  }

  /** How many messages are in flight. */
  get size(): number {
    return this.#parts.filter(({ isLost }) => !isLost).length;
  }

  /** Throws where the message does not begin at `next`. */
  add(sent: Sent): void {
    this.#append(sent, false);
  }

  /** The sequences from `next` through this one are declared lost; returns the prefix that this completes, if it does. */
  lost(through: number): Prefix | undefined {
    this.#append({ first: this.#next, through, at: this.#at }, true);
    return this.#complete();
  }

  /** The message has its PUBACK; returns the prefix that this completes, if it completes one. */
  acknowledged(sent: Sent): Prefix | undefined {
    const part = this.#parts.find((candidate) => candidate.sent === sent);
    if (part) part.isAcknowledged = true;
    return this.#complete();
  }

  #append(sent: Sent, isLost: boolean): void {
    if (sent.first !== this.#next || sent.through < sent.first)
      throw new Error(`sequences ${sent.first} to ${sent.through} do not follow ${this.#next - 1}`);
    this.#parts.push({ sent, isLost, isAcknowledged: isLost });
    this.#next = sent.through + 1;
    this.#at = sent.at;
  }

  #complete(): Prefix | undefined {
    const open = this.#parts.findIndex(({ isAcknowledged }) => !isAcknowledged);
    const done = this.#parts.splice(0, open === -1 ? this.#parts.length : open);
    return done.at(-1)?.sent;
  }
}
