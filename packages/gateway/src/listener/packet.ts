/** A PUBLISH (MQTT 3.1.1, section 3.3). */
export interface PublishPacket {
  readonly topic: string;
  /** A view of the chunk that was read. */
  readonly payload: Buffer;
  /** 0, 1 or 2. */
  readonly qos: number;
  readonly retain: boolean;
  /** 0 where QoS is 0. */
  readonly messageId: number;
}

const connectType = 1;
const publishType = 3;

/** Whether bytes can begin a CONNECT, which must be the first packet. */
export function isConnect(bytes: Uint8Array): boolean {
  return (bytes[0] ?? 0) >> 4 === connectType;
}

/** Whether the packet that begins at `start`, with its fixed header, is a PUBLISH. */
export function isPublish(bytes: Uint8Array, start = 0): boolean {
  return (bytes[start] ?? 0) >> 4 === publishType;
}

/**
 * Reads a complete PUBLISH with its fixed header, from `start` up to `end`; undefined when MQTT does not allow it.
 */
export function readPublish(bytes: Buffer, start = 0, end = bytes.length): PublishPacket | undefined {
  const flags = bytes[start] ?? 0;
  const qos = (flags >> 1) & 3;
  const topicAt = endOfFixedHeader(bytes, start) + 2;
  if (topicAt > end || qos > 2) return undefined;
  const topicEnd = topicAt + bytes.readUInt16BE(topicAt - 2);
  const payloadAt = qos > 0 ? topicEnd + 2 : topicEnd;
  if (payloadAt > end) return undefined;
  const messageId = qos > 0 ? bytes.readUInt16BE(topicEnd) : 0;
  if (qos > 0 && messageId === 0) return undefined;
  return {
    topic: bytes.toString('utf8', topicAt, topicEnd),
    payload: bytes.subarray(payloadAt, end),
    qos,
    retain: (flags & 1) === 1,
    messageId,
  };
}

function endOfFixedHeader(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while ((bytes[at] ?? 0) & 0x80) at += 1;
  return at + 1;
}

/** PUBACK (MQTT 3.1.1, section 3.4): its type, the length 2, and the message's id. */
const pubackType = 0x40;
const pubackBytes = 4;

/** The PUBACKs of messages, one after the other. */
export function encodePubacks(messageIds: readonly number[]): Buffer {
  const pubacks = Buffer.allocUnsafe(pubackBytes * messageIds.length);
  for (const [index, messageId] of messageIds.entries()) {
    const position = pubackBytes * index;
    pubacks[position] = pubackType;
    pubacks[position + 1] = 2;
    pubacks.writeUInt16BE(messageId, position + 2);
  }
  return pubacks;
}

/** The most bytes in which MQTT writes the length of a packet. */
const maxLengthBytes = 4;

/** The first buffer for a packet that arrives in parts (bytes). */
const firstBuffer = 512;

/** A complete packet with its fixed header: the bytes from `start` up to `end`. */
type OnPacket = (bytes: Buffer, start: number, end: number) => void;

/**
 * Splits a stream into MQTT packets by their fixed headers (MQTT 3.1.1, section 2.2: one byte, then the remaining
 * length, seven bits a byte, lowest first), and refuses a packet that is too large as soon as its length is known. A
 * packet that arrives in parts needs at most twice the memory of the part that has arrived.
 */
export class PacketSplitter {
  /** How many packets have begun. */
  packets = 0;
  /** How many of them are complete. */
  whole = 0;
  readonly #maxBytes: number;
  readonly #onPacket: OnPacket;
  /** A packet that is not complete yet: its first `#gathered` bytes. */
  #part: Buffer | undefined;
  #gathered = 0;

  constructor(maxBytes: number, onPacket: OnPacket) {
    this.#maxBytes = maxBytes;
    this.#onPacket = onPacket;
  }

  /** Returns false when a packet is larger than allowed or its length is invalid. */
  accept(chunk: Buffer): boolean {
    let position = 0;
    while (position < chunk.length) {
      if (this.#part) {
        position = this.#gather(this.#part, chunk, position);
        if (position < 0) return false;
        continue;
      }
      this.packets += 1;
      const length = packetLength(chunk, position, chunk.length);
      if (length > this.#maxBytes) return false;
      if (length > 0 && position + length <= chunk.length) {
        this.#emit(chunk, position, position + length);
        position += length;
      } else {
        this.#part = Buffer.allocUnsafeSlow(Math.max(firstBuffer, chunk.length - position));
        this.#gathered = chunk.copy(this.#part, 0, position);
        position = chunk.length;
      }
    }
    return true;
  }

  /** Copies the next bytes of an incomplete packet; returns where they end in the chunk, or -1 when it is too large. */
  #gather(part: Buffer, chunk: Buffer, position: number): number {
    const known = packetLength(part, 0, this.#gathered);
    /* Until its length is known, it is read byte by byte. */
    const wanted = known > 0 ? known - this.#gathered : 1;
    const taken = Math.min(wanted, chunk.length - position);
    const buffer = this.#bufferFor(part, this.#gathered + taken);
    chunk.copy(buffer, this.#gathered, position, position + taken);
    this.#gathered += taken;
    const length = packetLength(buffer, 0, this.#gathered);
    if (length > this.#maxBytes) return -1;
    if (length === this.#gathered) {
      this.#part = undefined;
      this.#emit(buffer, 0, length);
    }
    return position + taken;
  }

  #emit(bytes: Buffer, start: number, end: number): void {
    this.whole += 1;
    this.#onPacket(bytes, start, end);
  }

  #bufferFor(part: Buffer, bytes: number): Buffer {
    if (bytes <= part.length) return part;
    const larger = Buffer.allocUnsafeSlow(Math.max(bytes, 2 * part.length));
    part.copy(larger, 0, 0, this.#gathered);
    this.#part = larger;
    return larger;
  }
}

/**
 * The bytes of the packet that begins at `start`, including its fixed header: 0 while its header is incomplete,
 * `Infinity` when its length has more than four bytes.
 */
function packetLength(bytes: Uint8Array, start: number, end: number): number {
  let remaining = 0;
  for (let index = 0; index < maxLengthBytes; index += 1) {
    const at = start + 1 + index;
    if (at >= end) return 0;
    const byte = bytes[at] ?? 0;
    remaining += (byte & 0x7f) * 0x80 ** index;
    if ((byte & 0x80) === 0) return 2 + index + remaining;
  }
  return Number.POSITIVE_INFINITY;
}
