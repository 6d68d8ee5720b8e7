import { Duplex } from 'node:stream';
import type { Pace } from '../defence/paces.ts';
import type { Gate } from './gate.ts';
import { PacketMeter } from './packet-meter.ts';

/** A client sent a packet that is larger than allowed, or too much before it has logged in. */
export class PacketTooLarge extends Error {
  override readonly name = 'PacketTooLarge';
  readonly code = 'packet-too-large';
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

/** All that a client may send before it has logged in (bytes): a CONNECT takes a few hundred. */
const maxBytesBeforeLogin = 16 * 1024;

/**
 * A connection as the broker sees it: the socket's bytes, as long as no packet is too large, and as fast
 * as the broker takes them, the gate is open, and the device keeps its pace. What is not read stays in the
 * socket and, when that is full, with the client.
 */
export class GuardedConnection extends Duplex {
  readonly address: string;
  readonly certified: readonly string[] | undefined;
  readonly #socket: Duplex;
  readonly #gate: Gate;
  readonly #onLogin: () => void;
  readonly #meter: PacketMeter;
  readonly #loginTimer: NodeJS.Timeout;
  readonly #readOn = () => this.#readWhenAllowed();
  #paceTimer: NodeJS.Timeout | undefined;
  #pace: Pace | undefined;
  #bytesBeforeLogin = 0;
  #wanted = true;
  #stopped = false;

  constructor(socket: Duplex, options: GuardOptions) {
    super({ allowHalfOpen: false });
    this.address = options.address;
    this.certified = options.certified;
    this.#socket = socket;
    this.#gate = options.gate;
    this.#onLogin = options.onLogin;
    this.#meter = new PacketMeter(options.maxPacketBytes);
    this.#loginTimer = setTimeout(
      () => this.destroy(new LoginTimeout('not logged in within its time')),
      options.loginWithin,
    );
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  /** The client has logged in, and goes on at this pace. */
  loggedIn(pace: Pace): void {
    clearTimeout(this.#loginTimer);
    this.#pace = pace;
    this.#onLogin();
  }

  /** Reads nothing more from the client; what was read goes on its way. */
  stopReading(): void {
    this.#stopped = true;
    this.#gate.leave(this.#readOn);
    clearTimeout(this.#paceTimer);
    this.#socket.pause();
  }

  #take(chunk: Buffer): void {
    const { packets } = this.#meter;
    if (!this.#meter.accept(chunk) || !this.#mayStillLogIn(chunk)) {
      this.destroy(new PacketTooLarge('more than allowed'));
      return;
    }
    this.#pace?.spend(this.#meter.packets - packets, chunk.length, Date.now());
    this.#wanted = this.push(chunk);
    this.#readWhenAllowed();
  }

  #mayStillLogIn(chunk: Buffer): boolean {
    if (this.#pace === undefined) this.#bytesBeforeLogin += chunk.length;
    return this.#bytesBeforeLogin <= maxBytesBeforeLogin;
  }

  #readWhenAllowed(): void {
    if (this.#stopped || this.destroyed) return;
    const owes = this.#pace?.owes(Date.now()) ?? 0;
    if (this.#wanted && owes === 0 && this.#gate.isOpen) {
      this.#socket.resume();
      return;
    }
    this.#socket.pause();
    if (!this.#gate.isOpen) this.#gate.wait(this.#readOn);
    else if (owes > 0) this.#readLater(owes);
  }

  #readLater(delay: number): void {
    clearTimeout(this.#paceTimer);
    this.#paceTimer = setTimeout(this.#readOn, delay);
  }

  override _read(): void {
    this.#wanted = true;
    this.#readWhenAllowed();
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
    this.#gate.leave(this.#readOn);
    clearTimeout(this.#loginTimer);
    clearTimeout(this.#paceTimer);
    this.#socket.destroy();
    destroyed(error);
  }
}
