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
