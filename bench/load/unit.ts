import type { UnitChannel } from '@visitor-counter/wire/topics';

export interface SentMessage {
  readonly channel: UnitChannel;
  /** The instant, of `performance.now()`, at which it was due. */
  readonly dueAt: number;
}

/** A unit that has logged in: sends messages with QoS 1 and sees their PUBACKs. */
export interface Unit {
  /** Called with the messages that are acknowledged now. */
  onAcknowledged: (messages: readonly SentMessage[]) => void;
  /** Called if the server ends the connection. */
  onLost: (error: Error) => void;
  /** The messages in flight. */
  readonly unacknowledged: readonly SentMessage[];
  /**
   * Sends a message in its own packet: crossings happen one at a time, and a unit does not wait to send several
   * together.
   */
  send(message: SentMessage, payload: string): void;
  end(): void;
}

/** Time limit of a login (ms). */
export const loginDeadline = 30_000;
