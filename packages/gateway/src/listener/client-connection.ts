import { Duplex } from 'node:stream';
import type { Client } from 'aedes';
import type { Gate } from '../backpressure/backpressure.ts';
import { KeepAlive } from './keep-alive.ts';
import { isConnect, isPublish, type PublishPacket, readPublish } from './packet.ts';
import { PacketSplitter } from './packet-splitter.ts';
import { PubackWriter } from './puback-writer.ts';
import type { Pace } from './rate-limits.ts';
import { Intake } from './socket-reader.ts';
import { UnsettledMessages } from './unacknowledged-messages.ts';

/** A client sent a packet that is larger than allowed, or too much before it has logged in. */
export class PacketTooLarge extends Error {
  override readonly name = 'PacketTooLarge';
  readonly code = 'packet-too-large';
}

/** A client sent what is no packet of MQTT, or not the one that has to come first. */
export class MalformedPacket extends Error {
  override readonly name = 'MalformedPacket';
  readonly code = 'malformed-packet';
}

/** A client did not log in within its time. */
export class LoginTimeout extends Error {
  override readonly name = 'LoginTimeout';
  readonly code = 'login-timeout';
}

export interface GuardOptions {
  readonly maxPacketBytes: number;
  /** While it is closed nothing is read from the client. */
  readonly gate: Gate;
  /** How long the client may take to log in (ms). */
  readonly loginWithin: number;
  /** What counts as the client's address. */
  readonly address: string;
  /** The names in the client's certificate; undefined when it showed none. */
  readonly certified: readonly string[] | undefined;
  /** Told once when the client has logged in. */
  readonly onLogin: () => void;
}

/** Takes a message; an error ends the connection without PUBACK. */
export type TakePublish = (publish: PublishPacket, settled: (error?: Error) => void) => void;

/** All that a client may send before it has logged in (bytes): a CONNECT takes a few hundred. */
const maxBytesBeforeLogin = 16 * 1024;

/** How long a client may leave what was sent to it unread (ms). */
export const drainTimeout = 20_000;

/**
 * A client's connection, cut into packets of which none is too large. Between the socket and the broker, which has
 * the other end of this stream, it takes the messages out: a PUBLISH goes to `TakePublish`, and its PUBACK back when the
 * message is settled. All other packets go to the broker, and all that the broker writes goes to the client.
 *
 * After its first packet, the CONNECT, a client is not read until it is admitted.
 */
export class GuardedConnection extends Duplex {
  readonly address: string;
  readonly certified: readonly string[] | undefined;
  readonly #socket: Duplex;
  readonly #onLogin: () => void;
  readonly #intake: Intake;
  readonly #splitter: PacketSplitter;
  readonly #pubacks: PubackWriter;
  readonly #unsettled: UnsettledMessages;
  readonly #loginTimer: NodeJS.Timeout;
  #keepAlive: KeepAlive | undefined;
  #takePublish: TakePublish | undefined;
  #beforeAdmission: Buffer[] = [];
  #bytesBeforeLogin = 0;

  constructor(socket: Duplex, options: GuardOptions) {
    super({ allowHalfOpen: false });
    this.address = options.address;
    this.certified = options.certified;
    this.#socket = socket;
    this.#onLogin = options.onLogin;
    this.#intake = new Intake(socket, options.gate);
    this.#splitter = new PacketSplitter(options.maxPacketBytes, (bytes, start, end) =>
      this.#pass(bytes, start, end),
    );
    this.#pubacks = new PubackWriter(socket, this.#intake, drainTimeout);
    this.#unsettled = new UnsettledMessages(this.#intake);
    const late = () => this.destroy(new LoginTimeout('not logged in within its time'));
    this.#loginTimer = setTimeout(late, options.loginWithin);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  /** What the client said in its CONNECT (s); from here on it has to be heard of. */
  setKeepAlive(seconds: number): void {
    const isReading = () => this.#intake.isReading;
    this.#keepAlive = new KeepAlive(seconds, isReading, (error) => this.destroy(error));
  }

  /** The client has logged in, has been told so, and goes on at this pace. */
  admit(pace: Pace, takePublish: TakePublish): void {
    clearTimeout(this.#loginTimer);
    this.#onLogin();
    this.#takePublish = takePublish;
    this.#intake.setPace(pace);
    for (const packet of this.#beforeAdmission) this.#pass(packet, 0, packet.length);
    this.#beforeAdmission = [];
    this.#intake.release('login');
  }

  /** Reads nothing more from the client; what was read goes on its way. */
  stopReading(): void {
    this.#intake.hold('stopped');
  }

  #take(chunk: Buffer): void {
    const { packets, whole } = this.#splitter;
    if (packets === 0 && !isConnect(chunk)) {
      this.destroy(new MalformedPacket('not a CONNECT'));
      return;
    }
    if (!this.#mayStillLogIn(chunk) || !this.#splitter.accept(chunk)) {
      this.destroy(new PacketTooLarge('more than allowed'));
      return;
    }
    /* Bytes within a packet are none (3.1.2.10). But its beginning counts: 64 KB take 32 s at the 2 KB/s of a 2G link,
       and a unit may have been quiet before for its keep-alive of 30 s. */
    const isHeard = this.#splitter.packets > packets || this.#splitter.whole > whole;
    if (isHeard) this.#keepAlive?.heard();
    this.#intake.spend(this.#splitter.packets - packets, chunk.length);
  }

  #mayStillLogIn(chunk: Buffer): boolean {
    if (this.#takePublish === undefined) this.#bytesBeforeLogin += chunk.length;
    return this.#bytesBeforeLogin <= maxBytesBeforeLogin;
  }

  #pass(bytes: Buffer, start: number, end: number): void {
    if (this.destroyed) return;
    if (this.#takePublish && isPublish(bytes, start)) {
      this.#settleLater(bytes, start, end, this.#takePublish);
      return;
    }
    const packet = bytes.subarray(start, end);
    if (this.#takePublish === undefined && this.#splitter.packets > 1) this.#beforeAdmission.push(packet);
    else if (!this.push(packet)) this.#intake.hold('broker');
    if (this.#takePublish === undefined) this.#intake.hold('login');
  }

  #settleLater(bytes: Buffer, start: number, end: number, takePublish: TakePublish): void {
    const publish = readPublish(bytes, start, end);
    if (publish === undefined) {
      this.destroy(new MalformedPacket('not a PUBLISH of MQTT 3.1.1'));
      return;
    }
    const { qos, messageId } = publish;
    const length = end - start;
    this.#unsettled.add(length);
    takePublish(publish, (error) => {
      if (error) this.destroy(error);
      else if (qos === 1) this.#pubacks.acknowledge(messageId);
      this.#unsettled.remove(length);
    });
  }

  override _read(): void {
    this.#intake.release('broker');
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
    this.#intake.close();
    this.#keepAlive?.close();
    this.#pubacks.close();
    clearTimeout(this.#loginTimer);
    this.#socket.destroy();
    destroyed(error);
  }
}

/** The connection of one of the broker's clients; undefined where it came by another way. */
export function connectionOf(client: Client): GuardedConnection | undefined {
  return client.conn instanceof GuardedConnection ? client.conn : undefined;
}
