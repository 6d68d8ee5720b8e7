import { Duplex } from 'node:stream';
import type { Gate } from './gate.ts';
import { PacketMeter } from './packet-meter.ts';

/** A client sent a packet that is larger than allowed. */
export class PacketTooLarge extends Error {
  override readonly name = 'PacketTooLarge';
  readonly code = 'packet-too-large';
}

export interface GuardOptions {
  readonly maxPacketBytes: number;
  /** While it is closed nothing is read from the client. */
  readonly gate: Gate;
}

/**
 * A connection as the broker sees it: the socket's bytes, as long as no packet is too large, and as fast
 * as the broker takes them and the gate is open.
 */
export class GuardedConnection extends Duplex {
  readonly #socket: Duplex;
  readonly #gate: Gate;
  readonly #resume: () => void;
  #stopped = false;

  constructor(socket: Duplex, { maxPacketBytes, gate }: GuardOptions) {
    super({ allowHalfOpen: false });
    this.#socket = socket;
    this.#gate = gate;
    this.#resume = () => {
      if (!this.#stopped) socket.resume();
    };
    const meter = new PacketMeter(maxPacketBytes);
    socket.on('data', (chunk: Buffer) => this.#take(chunk, meter));
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  /** Reads nothing more from the client; what was read goes on its way. */
  stopReading(): void {
    this.#stopped = true;
    this.#gate.leave(this.#resume);
    this.#socket.pause();
  }

  #take(chunk: Buffer, meter: PacketMeter): void {
    if (!meter.accept(chunk)) {
      this.destroy(new PacketTooLarge('a packet is larger than allowed'));
      return;
    }
    const wantsMore = this.push(chunk);
    if (wantsMore && this.#gate.isOpen) return;
    this.#socket.pause();
    if (wantsMore) this.#gate.wait(this.#resume);
  }

  override _read(): void {
    if (this.#gate.isOpen) this.#resume();
    else this.#gate.wait(this.#resume);
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
    this.#gate.leave(this.#resume);
    this.#socket.destroy();
    destroyed(error);
  }
}
