const puback = 0x40;
const packetBytes = 4;

/** A packet other than a PUBACK arrived, so the measurement is invalid. */
class NotPuback extends Error {
  override readonly name = 'NotPuback';
  readonly code = 'not-puback';
}

/**
 * Reads PUBACK packets (MQTT 3.1.1, section 3.4), in any chunks: the only packets that a unit
 * without subscriptions and PINGREQ receives after its CONNACK.
 */
export class PubackReader {
  #rest: Buffer | undefined;

  /** The message ids of the packets that are complete with this chunk. */
  read(chunk: Buffer): number[] {
    const bytes = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk;
    const messageIds: number[] = [];
    let position = 0;
    for (; position + packetBytes <= bytes.length; position += packetBytes) {
      if (bytes[position] !== puback) throw new NotPuback(`a packet of type ${bytes[position]}`);
      messageIds.push(bytes.readUInt16BE(position + 2));
    }
    this.#rest = position < bytes.length ? bytes.subarray(position) : undefined;
    return messageIds;
  }
}
