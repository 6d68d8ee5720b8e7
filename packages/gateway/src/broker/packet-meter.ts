/** The most bytes in which MQTT writes the length of a packet. */
const maxLengthBytes = 4;

/**
 * Follows the packets in a stream of MQTT by their fixed headers (MQTT 3.1.1, section 2.2: one byte, then
 * the remaining length, seven bits a byte, lowest first) and notices one that is too large as soon as its
 * length is read, before any parser has gathered it in memory.
 */
export class PacketMeter {
  /** How many packets have begun. */
  packets = 0;
  readonly #maxBytes: number;
  /** Bytes of the present packet's fixed header that were read. */
  #headerBytes = 0;
  #remaining = 0;
  #inBody = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Reads on; false when a packet is larger than allowed or its length cannot be one. */
  accept(chunk: Uint8Array): boolean {
    let position = 0;
    while (position < chunk.length) {
      if (this.#inBody) position = this.#skipBody(chunk, position);
      else if (!this.#readHeader(chunk[position++] ?? 0)) return false;
    }
    return true;
  }

  #skipBody(chunk: Uint8Array, position: number): number {
    const skipped = Math.min(this.#remaining, chunk.length - position);
    this.#remaining -= skipped;
    if (this.#remaining === 0) this.#nextPacket();
    return position + skipped;
  }

  #readHeader(byte: number): boolean {
    this.#headerBytes += 1;
    if (this.#headerBytes === 1) {
      this.packets += 1;
      return true;
    }
    const lengthBytes = this.#headerBytes - 1;
    this.#remaining += (byte & 0x7f) * 0x80 ** (lengthBytes - 1);
    if (byte & 0x80) return lengthBytes < maxLengthBytes;
    if (this.#headerBytes + this.#remaining > this.#maxBytes) return false;
    if (this.#remaining === 0) this.#nextPacket();
    else this.#inBody = true;
    return true;
  }

  #nextPacket(): void {
    this.#headerBytes = 0;
    this.#remaining = 0;
    this.#inBody = false;
  }
}
