/** A PUBLISH as it came (MQTT 3.1.1, section 3.3). */
export interface PublishPacket {
  readonly topic: string;
  /** A view into the packet. */
  readonly payload: Buffer;
  /** 0 to 3; 3 is none. */
  readonly qos: number;
  readonly retain: boolean;
  /** 0 where QoS is 0. */
  readonly messageId: number;
}

const connectType = 1;
const publishType = 3;

/** Whether bytes can be the beginning of a CONNECT, which has to come first. */
export function isConnect(bytes: Uint8Array): boolean {
  return (bytes[0] ?? 0) >> 4 === connectType;
}

/** Whether a packet, its fixed header included, is a PUBLISH. */
export function isPublish(packet: Uint8Array): boolean {
  return (packet[0] ?? 0) >> 4 === publishType;
}

/** Reads a whole PUBLISH, its fixed header included; undefined when it is none that MQTT allows. */
export function readPublish(packet: Buffer): PublishPacket | undefined {
  const flags = packet[0] ?? 0;
  const qos = (flags >> 1) & 3;
  const topicAt = endOfFixedHeader(packet) + 2;
  if (topicAt > packet.length || qos > 2) return undefined;
  const topicEnd = topicAt + packet.readUInt16BE(topicAt - 2);
  const payloadAt = qos > 0 ? topicEnd + 2 : topicEnd;
  if (payloadAt > packet.length) return undefined;
  const messageId = qos > 0 ? packet.readUInt16BE(topicEnd) : 0;
  if (qos > 0 && messageId === 0) return undefined;
  return {
    topic: packet.toString('utf8', topicAt, topicEnd),
    payload: packet.subarray(payloadAt),
    qos,
    retain: (flags & 1) === 1,
    messageId,
  };
}

function endOfFixedHeader(packet: Uint8Array): number {
  let at = 1;
  while ((packet[at] ?? 0) & 0x80) at += 1;
  return at + 1;
}
