import type { Gate } from './backpressure.ts';

/** Counts what one client has in memory. */
export interface Holder {
  heldBytes: number;
}

export interface MemoryLimits {
  /** Above this much in memory the gate closes (bytes); at twice as much, what still comes is refused. */
  readonly heldBytes: number;
  /** The most that one client may have in memory (bytes). */
  readonly heldBytesPerClient: number;
}

/** What all clients together have in memory, and the gate that closes while it is too much. */
export class HeldMemory {
  readonly #limits: MemoryLimits;
  readonly #gate: Gate;
  #bytes = 0;

  constructor(limits: MemoryLimits, gate: Gate) {
    this.#limits = limits;
    this.#gate = gate;
  }

  get bytes(): number {
    return this.#bytes;
  }

  hasRoom(holder: Holder, bytes: number): boolean {
    const { heldBytes, heldBytesPerClient } = this.#limits;
    return this.#bytes + bytes <= 2 * heldBytes && holder.heldBytes + bytes <= heldBytesPerClient;
  }

  /** Counts bytes that a client has from now on in memory, or, where negative, no longer. */
  hold(holder: Holder, bytes: number): void {
    holder.heldBytes += bytes;
    this.#bytes += bytes;
    this.#gate.set(this.#bytes <= this.#limits.heldBytes);
  }
}
