/** A message in flight: its first and last sequence, and the last crossing's instant (epoch ms). */
export interface Sent {
  readonly first: number;
  readonly through: number;
  readonly at: number;
}

/** A prefix that is acknowledged: its last sequence, and the instant (epoch ms) of the last crossing sent in it. */
export type Prefix = Omit<Sent, 'first'>;

/** A message, or a lost range, that is not acknowledged yet. */
interface Pending {
  readonly sent: Sent;
  readonly isLost: boolean;
  isAcknowledged: boolean;
}

/**
 * Which messages of one journal are in flight on one connection, and which sequence is sent next.
 *
 * The gateway sends a PUBACK only after the crossings are committed, so it frees the journal.
 *
 * Invariant: a returned prefix is contiguous, of lost sequences and acknowledged messages. A PUBACK that overtakes an
 * earlier one has no effect before that one arrives, and a sequence that was neither sent nor declared lost is an error.
 * Otherwise an acknowledgement would free crossings that the server has never received.
 */
export class DeliveryWindow {
  /** The most messages in flight. */
  readonly #size: number;
  /** In order of their sequences. */
  #pending: Pending[] = [];
  #next = 0;
  #at = 0;

  constructor(acknowledged: Prefix, size: number) {
    this.#size = size;
    this.restart(acknowledged);
  }

  /** The next sequence to read. */
  get next(): number {
    return this.#next;
  }

  /** Whether another message may be in flight. */
  get hasRoom(): boolean {
    return this.#pending.filter(({ isLost }) => !isLost).length < this.#size;
  }

  /** Adds a message in flight. Throws if it does not begin at `next`. */
  addSent(sent: Sent): void {
    this.#append(sent, false);
  }

  /**
   * Adds the sequences from `next` through this one, which are declared lost; returns the prefix that can be freed now, if
   * any.
   */
  addLost(through: number): Prefix | undefined {
    this.#append({ first: this.#next, through, at: this.#at }, true);
    return this.#freeAcknowledged();
  }

  /** Records the PUBACK of a message; returns the prefix that can be freed now, if any. */
  acknowledge(sent: Sent): Prefix | undefined {
    const pending = this.#pending.find((candidate) => candidate.sent === sent);
    if (pending) pending.isAcknowledged = true;
    return this.#freeAcknowledged();
  }

  /** Forgets all messages in flight, and continues after the given prefix. */
  restart({ through, at }: Prefix): void {
    this.#pending = [];
    this.#next = through + 1;
    this.#at = at;
  }

  #append(sent: Sent, isLost: boolean): void {
    if (sent.first !== this.#next || sent.through < sent.first)
      throw new Error(`sequences ${sent.first} to ${sent.through} do not follow ${this.#next - 1}`);
    this.#pending.push({ sent, isLost, isAcknowledged: isLost });
    this.#next = sent.through + 1;
    this.#at = sent.at;
  }

  #freeAcknowledged(): Prefix | undefined {
    const open = this.#pending.findIndex(({ isAcknowledged }) => !isAcknowledged);
    return this.#pending.splice(0, open === -1 ? this.#pending.length : open).at(-1)?.sent;
  }
}
