import type { UnitChannel } from '@visitor-counter/wire/topics';

export interface SentMessage {
  readonly channel: UnitChannel;
  /** The instant, of `performance.now()`, at which it was to be sent. */
  readonly dueAt: number;
}

/** A unit that has logged in: sends messages with QoS 1 and sees their PUBACKs. */
export interface Unit {
  /** Told of the messages that are acknowledged now. */
  onAcknowledged: (messages: readonly SentMessage[]) => void;
  /** Told when the other side, and not `end`, ends the connection. */
  onLost: (error: Error) => void;
  /** The messages that are on their way. */
  readonly unacknowledged: readonly SentMessage[];
  /**
   * Sends a message by itself: crossings happen one at a time, and a unit does not wait for the next one to
   * send them together.
   */
  send(message: SentMessage, payload: string): void;
  end(): void;
}

/** How long a login may take (ms). */
export const loginDeadline = 30_000;
