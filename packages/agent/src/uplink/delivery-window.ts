import type { UplinkSettings } from './uplink-settings.ts';

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
 * The PUBACK of our gateway frees the journal, since the gateway sends it only after the crossings are committed. With an
 * external broker, a PUBACK only means that this broker has the message: only `commit` frees the journal.
 *
 * Invariant: a returned prefix is contiguous, of lost sequences and messages that are acknowledged or committed. A PUBACK
 * that overtakes an earlier one has no effect before that one arrives, and a sequence that was neither sent nor declared
 * lost is an error. Otherwise an acknowledgement would free crossings that the server has never received.
 *
 * With an external broker there is one message in flight until something is committed, then up to `window`: while no
 * gateway stores anything, the broker's queue is not filled with the same crossings again and again.
 */
export class DeliveryWindow {
  readonly #settings: Pick<UplinkSettings, 'acknowledgement' | 'window'>;
  /** In order of their sequences. */
  #pending: Pending[] = [];
  #isOpen = false;
  #next = 0;
  #at = 0;

  constructor(acknowledged: Prefix, settings: Pick<UplinkSettings, 'acknowledgement' | 'window'>) {
    this.#settings = settings;
    this.restart(acknowledged);
  }

  /** The next sequence to read. */
  get next(): number {
    return this.#next;
  }

  /** Whether another message may be in flight. Messages before the last `sendAgain` do not count: they may never arrive. */
  get hasRoom(): boolean {
    const inFlight = this.#pending.filter(({ sent, isLost }) => !isLost && sent.through < this.#next);
    return inFlight.length < (this.#isOpen ? this.#settings.window : 1);
  }

  /** Whether anything is not acknowledged yet. */
  get isPending(): boolean {
    return this.#pending.length > 0;
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

  /** Everything up to `through` is committed; returns the newest prefix that this covers, if any. */
  commit(through: number): Prefix | undefined {
    const newest = this.#free(this.#pending.filter(({ sent }) => sent.through <= through).length);
    if (newest === undefined) return undefined;
    this.#next = Math.max(this.#next, newest.through + 1);
    this.#isOpen = true;
    return newest;
  }

  /** Nothing was committed for too long: sends everything after the given prefix again, one message first. */
  sendAgain({ through, at }: Prefix): void {
    this.#next = through + 1;
    this.#at = at;
    this.#isOpen = this.#settings.acknowledgement === 'puback';
  }

  /** Forgets all messages in flight, and continues after `acknowledged`. */
  restart(acknowledged: Prefix): void {
    this.#pending = [];
    this.sendAgain(acknowledged);
  }

  #append(sent: Sent, isLost: boolean): void {
    if (sent.first !== this.#next || sent.through < sent.first)
      throw new Error(`sequences ${sent.first} to ${sent.through} do not follow ${this.#next - 1}`);
    const others = this.#pending.filter(({ sent: { through } }) => through !== sent.through);
    this.#pending = [...others, { sent, isLost, isAcknowledged: isLost }];
    this.#pending.sort((a, b) => a.sent.through - b.sent.through);
    this.#next = sent.through + 1;
    this.#at = sent.at;
  }

  #freeAcknowledged(): Prefix | undefined {
    if (this.#settings.acknowledgement === 'committed') return undefined;
    const open = this.#pending.findIndex(({ isAcknowledged }) => !isAcknowledged);
    return this.#free(open === -1 ? this.#pending.length : open);
  }

  #free(count: number): Prefix | undefined {
    return this.#pending.splice(0, count).at(-1)?.sent;
  }
}
