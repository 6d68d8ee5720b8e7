import type { Writable } from 'node:stream';
import type { Intake } from './socket-reader.ts';

/** A client has not read what was sent to it. */
export class UnreadTimeout extends Error {
  override readonly name = 'UnreadTimeout';
  readonly code = 'unread-timeout';
}

/** PUBACK (MQTT 3.1.1, section 3.4): its type, the length 2, and the message's id. */
const pubackType = 0x40;
const pubackBytes = 4;

/**
 * Gathers what is acknowledged in one turn, and writes it at its end as one chunk. While a client leaves that
 * unread, nothing more is read from it.
 */
export class PubackWriter {
  readonly #socket: Writable;
  readonly #intake: Intake;
  readonly #drainTimeout: number;
  #messageIds: number[] = [];
  #drainTimer: NodeJS.Timeout | undefined;

  /** A client that reads nothing for `drainTimeout` ms is given up. */
  constructor(socket: Writable, intake: Intake, drainTimeout: number) {
    this.#socket = socket;
    this.#intake = intake;
    this.#drainTimeout = drainTimeout;
  }

  acknowledge(messageId: number): void {
    this.#messageIds.push(messageId);
    if (this.#messageIds.length === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const messageIds = this.#messageIds;
    this.#messageIds = [];
    if (this.#socket.writable && !this.#socket.write(encode(messageIds))) this.#waitForDrain();
  }

  #waitForDrain(): void {
    if (this.#drainTimer) return;
    this.#intake.hold('unread');
    const giveUp = () => this.#socket.destroy(new UnreadTimeout('drain timeout'));
    this.#drainTimer = setTimeout(giveUp, this.#drainTimeout);
    this.#socket.once('drain', () => {
      this.close();
      this.#intake.release('unread');
    });
  }

  close(): void {
    clearTimeout(this.#drainTimer);
    this.#drainTimer = undefined;
  }
}

function encode(messageIds: readonly number[]): Buffer {
  const pubacks = Buffer.allocUnsafe(pubackBytes * messageIds.length);
  for (const [index, messageId] of messageIds.entries()) {
    const position = pubackBytes * index;
    pubacks[position] = pubackType;
    pubacks[position + 1] = 2;
    pubacks.writeUInt16BE(messageId, position + 2);
  }
  return pubacks;
}
