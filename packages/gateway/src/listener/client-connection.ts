import { Duplex } from 'node:stream';
import { maxPacketBytes } from '@visitor-counter/wire/limits';
import type { Client } from 'aedes';
import type { Backpressure } from '../backpressure/backpressure.ts';
import type { IngestResult } from '../ingest/isolate-failing-message.ts';
import { ClientError } from './client-error.ts';
import { type KeepAlive, startKeepAlive } from './keep-alive.ts';
import {
  encodePubacks,
  isConnect,
  isPublish,
  PacketSplitter,
  type PublishPacket,
  readPublish,
} from './packet.ts';
import type { DeviceRate } from './rate-limits.ts';
import { SocketReader } from './socket-reader.ts';

interface ClientConnectionOptions {
  readonly backpressure: Backpressure;
  /** How long the client may take to log in (ms). */
  readonly loginWithin: number;
  /** The client's address, as limits count it. */
  readonly address: string;
}

/**
 * Stores a message (`publishHandler`); it may be acknowledged only if the result is `stored`. Rejects with the error that
 * ends the connection.
 */
export type HandlePublish = (publish: PublishPacket) => Promise<IngestResult>;

/** What a client may send before it has logged in (bytes): a CONNECT has a few hundred. */
const maxBytesBeforeLogin = 16 * 1024;

/**
 * A client's connection, as the broker sees it. It splits what the socket receives into packets of bounded size. Each PUBLISH
 * goes to `HandlePublish`; when it is stored, its PUBACK is written to the socket. The broker reads only the other packets
 * from this stream; what it writes goes to the socket.
 *
 * After its first packet, the CONNECT, nothing is read from a client until it is admitted.
 */
export class ClientConnection extends Duplex {
  readonly address: string;
  readonly #socket: Duplex;
  readonly #reader: SocketReader;
  readonly #splitter: PacketSplitter;
  readonly #loginTimer: NodeJS.Timeout;
  #keepAlive: KeepAlive | undefined;
  #handlePublish: HandlePublish | undefined;
  #beforeAdmission: Buffer[] = [];
  #bytesBeforeLogin = 0;
  /** Messages to acknowledge at the end of this turn of the event loop, with one chunk. */
  #toAcknowledge: number[] = [];

  constructor(socket: Duplex, options: ClientConnectionOptions) {
    super({ allowHalfOpen: false });
    this.address = options.address;
    this.#socket = socket;
    this.#reader = new SocketReader(socket, options.backpressure);
    this.#splitter = new PacketSplitter(maxPacketBytes, (bytes, start, end) => this.#pass(bytes, start, end));
    const late = () => this.destroy(new ClientError('login-timeout', 'not logged in within its time'));
    this.#loginTimer = setTimeout(late, options.loginWithin);
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  /** Starts the keep-alive of the client's CONNECT (s). */
  setKeepAlive(seconds: number): void {
    const isReading = () => this.#reader.isReading;
    this.#keepAlive = startKeepAlive(seconds, isReading, (error) => this.destroy(error));
  }

  /** The client has logged in and has its CONNACK. */
  admit(rate: DeviceRate, handlePublish: HandlePublish): void {
    clearTimeout(this.#loginTimer);
    this.#handlePublish = handlePublish;
    this.#reader.limitRate(rate);
    for (const packet of this.#beforeAdmission) this.#pass(packet, 0, packet.length);
    this.#beforeAdmission = [];
    this.#reader.resume('login');
  }

  /** Reads nothing more from the client; messages that were read are still stored and acknowledged. */
  stopReading(): void {
    this.#reader.pause('stopping');
  }

  #read(chunk: Buffer): void {
    const { packets, whole } = this.#splitter;
    if (packets === 0 && !isConnect(chunk)) {
      this.destroy(new ClientError('malformed-packet', 'not a CONNECT'));
      return;
    }
    if (!this.#isWithinLogin(chunk) || !this.#splitter.accept(chunk)) {
      this.destroy(new ClientError('packet-too-large', 'more than allowed'));
      return;
    }
    /* Bytes within a packet do not count as activity (MQTT 3.1.1, section 3.1.2.10), but its beginning does: 64 KB take
       32 s at the 2 KB/s of a 2G link, and a unit may have been silent before for its keep-alive of 30 s. */
    const isActive = this.#splitter.packets > packets || this.#splitter.whole > whole;
    if (isActive) this.#keepAlive?.seen();
    this.#reader.spend(this.#splitter.packets - packets, chunk.length);
  }

  #isWithinLogin(chunk: Buffer): boolean {
    if (this.#handlePublish === undefined) this.#bytesBeforeLogin += chunk.length;
    return this.#bytesBeforeLogin <= maxBytesBeforeLogin;
  }

  #pass(bytes: Buffer, start: number, end: number): void {
    if (this.destroyed) return;
    if (this.#handlePublish && isPublish(bytes, start)) {
      this.#passPublish(bytes, start, end, this.#handlePublish);
      return;
    }
    const packet = bytes.subarray(start, end);
    if (this.#handlePublish === undefined && this.#splitter.packets > 1) this.#beforeAdmission.push(packet);
    else if (!this.push(packet)) this.#reader.pause('broker');
    if (this.#handlePublish === undefined) this.#reader.pause('login');
  }

  #passPublish(bytes: Buffer, start: number, end: number, handlePublish: HandlePublish): void {
    const publish = readPublish(bytes, start, end);
    if (publish === undefined) {
      this.destroy(new ClientError('malformed-packet', 'not a PUBLISH of MQTT 3.1.1'));
      return;
    }
    this.#reader.addUnacknowledged(end - start);
    const messageId = publish.qos === 1 ? publish.messageId : undefined;
    void this.#acknowledge(handlePublish(publish), messageId, end - start);
  }

  /** Does not refer to the packet, so that its bytes can be freed before the message is stored. */
  async #acknowledge(
    storing: Promise<IngestResult>,
    messageId: number | undefined,
    bytes: number,
  ): Promise<void> {
    try {
      const result = await storing;
      if (result !== 'stored') throw new ClientError('not-stored', `not stored: ${result}`);
      if (messageId !== undefined) this.#sendPuback(messageId);
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
    this.#reader.removeUnacknowledged(bytes);
  }

  #sendPuback(messageId: number): void {
    this.#toAcknowledge.push(messageId);
    if (this.#toAcknowledge.length > 1) return;
    queueMicrotask(() => {
      const messageIds = this.#toAcknowledge;
      this.#toAcknowledge = [];
      if (this.#socket.writable) this.#socket.write(encodePubacks(messageIds));
    });
  }

  override _read(): void {
    this.#reader.resume('broker');
  }

  override _write(chunk: Buffer, _: BufferEncoding, written: () => void): void {
    if (this.#socket.write(chunk)) written();
    else this.#socket.once('drain', written);
  }

  override _writev(parts: { chunk: Buffer; encoding: BufferEncoding }[], written: () => void): void {
    this._write(Buffer.concat(parts.map(({ chunk }) => chunk)), 'utf8', written);
  }

  override _final(ended: () => void): void {
    this.#socket.end(ended);
  }

  override _destroy(error: Error | null, destroyed: (error: Error | null) => void): void {
    this.#reader.close();
    this.#keepAlive?.close();
    clearTimeout(this.#loginTimer);
    this.#socket.destroy();
    destroyed(error);
  }
}

/** The connection of one of the broker's clients. */
export function connectionOf(client: Client): ClientConnection | undefined {
  return client.conn instanceof ClientConnection ? client.conn : undefined;
}
