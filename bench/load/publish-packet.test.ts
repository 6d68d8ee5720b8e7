import mqtt from 'mqtt-packet';
import { expect, test } from 'vitest';
import { publishPacket } from './publish-packet.ts';

test.each([0, 1, 120, 128, 16_383, 16_384, 60_000])(
  'writes a packet that another library reads: %i bytes',
  (size) => {
    const publication = {
      topic: 'counter/v1/CU-00001/crossings',
      messageId: 65_535,
      payload: 'x'.repeat(size),
    };
    const { topic, messageId, payload } = publication;
    const parser = mqtt.parser();
    const packets: mqtt.Packet[] = [];
    parser.on('packet', (packet) => packets.push(packet));
    parser.parse(publishPacket(publication));
    expect(packets).toMatchObject([
      { cmd: 'publish', qos: 1, topic, messageId, payload: Buffer.from(payload) },
    ]);
  },
);
