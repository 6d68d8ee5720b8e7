import type { UnitChannel } from '@visitor-counter/wire/topics';

/** A unit that has logged in: sends messages with QoS 1 and sees their PUBACKs. */
export interface Unit {
  /** Told the instants (of `performance.now()`) at which the messages were due that are acknowledged now. */
  onAcknowledged: (dueAt: readonly number[]) => void;
  /** Told when the other side, and not `end`, ends the connection. */
  onLost: (error: Error) => void;
  /** The instants at which the messages were due that are not acknowledged. */
  readonly unacknowledged: readonly number[];
  /**
   * Sends a message that was due at `dueAt`, by itself: crossings happen one at a time, and a unit does not
   * wait for the next one to send them together.
   */
  send(channel: UnitChannel, payload: string, dueAt: number): void;
  end(): void;
}

/** How long a login may take (ms). */
export const loginDeadline = 30_000;
