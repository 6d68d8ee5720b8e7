/** A message in flight: its first and last sequence, and the last crossing's instant (epoch ms). */
export interface Sent {
  readonly first: number;
  readonly through: number;
  readonly at: number;
}

/** A prefix that is acknowledged: its last sequence, and the instant (epoch ms) of the last crossing sent in it. */
export type Prefix = Omit<Sent, 'first'>;

/**
 * Which messages of one journal are in flight on one connection, and which sequence is sent next. The two
 * implementations differ in what frees the journal: a PUBACK (`PubackWindow`) or, with an external broker, a
 * `committed` of the gateway (`CommittedWindow`).
 */
export interface DeliveryWindow {
  /** The next sequence to read. */
  readonly next: number;
  /** Whether another message may be in flight. */
  readonly hasRoom: boolean;
  /** Adds a message in flight. Throws if it does not begin at `next`. */
  addSent(sent: Sent): void;
  /** Adds the sequences from `next` through this one, which are declared lost; returns the prefix that can be freed now, if any. */
  addLost(through: number): Prefix | undefined;
  /** Records the PUBACK of a message; returns the prefix that can be freed now, if any. */
  acknowledge(sent: Sent): Prefix | undefined;
  /** Forgets all messages in flight, and continues after `acknowledged`. */
  restart(acknowledged: Prefix): void;
}
