import type { Writable } from 'node:stream';
import { ClientError } from './client-error.ts';
import type { SocketReader } from './socket-reader.ts';

/** PUBACK (MQTT 3.1.1, section 3.4): its type, the length 2, and the message's id. */
const pubackType = 0x40;
const pubackBytes = 4;

/**
 * Collects the PUBACKs of one turn of the event loop, and writes them as one chunk. While a client leaves them unread,
 * nothing is read from it.
 */
export class PubackWriter {
  readonly #socket: Writable;
  readonly #reader: SocketReader;
  readonly #drainTimeout: number;
  #messageIds: number[] = [];
  #drainTimer: NodeJS.Timeout | undefined;

  /** Destroys the socket of a client that reads nothing for `drainTimeout` ms. */
  constructor(socket: Writable, reader: SocketReader, drainTimeout: number) {
    this.#socket = socket;
    this.#reader = reader;
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
    this.#reader.pause('unread');
    const onTimeout = () => this.#socket.destroy(new ClientError('unread-timeout', 'drain timeout'));
    this.#drainTimer = setTimeout(onTimeout, this.#drainTimeout);
    this.#socket.once('drain', () => {
      this.close();
      this.#reader.resume('unread');
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
