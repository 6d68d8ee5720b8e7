/** A message with QoS 1. Topic and payload are ASCII. */
export interface Publication {
  readonly topic: string;
  readonly messageId: number;
  readonly payload: string;
}

/**
 * A PUBLISH packet (MQTT 3.1.1, section 3.3). Encoded directly: the load shares its processors with the
 * measured programs, and a general encoder costs several times as much.
 */
export function publishPacket({ topic, messageId, payload }: Publication): Buffer {
  const length = 2 + topic.length + 2 + payload.length;
  const lengthBytes = remainingLength(length);
  const bytes = Buffer.allocUnsafe(1 + lengthBytes.length + length);
  let position = bytes.writeUInt8(publishQos1, 0);
  for (const byte of lengthBytes) position = bytes.writeUInt8(byte, position);
  position = bytes.writeUInt16BE(topic.length, position);
  position += bytes.write(topic, position, 'latin1');
  position = bytes.writeUInt16BE(messageId, position);
  bytes.write(payload, position, 'latin1');
  return bytes;
}

const publishQos1 = 0x32;

/** Seven bits a byte, lowest first (section 2.2.3). */
function remainingLength(length: number): number[] {
  const bytes: number[] = [];
  let rest = length;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}
