import fc from 'fast-check';
import mqtt from 'mqtt-packet';
import { expect, test } from 'vitest';
import { isPublish, readPublish } from './packet.ts';

const publication = fc.record({
  topic: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter((text) => !/[#+\0]/.test(text)),
  payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  qos: fc.constantFrom(0 as const, 1 as const, 2 as const),
  retain: fc.boolean(),
  messageId: fc.integer({ min: 1, max: 65_535 }),
});

test('decodes packets of another MQTT implementation', () => {
  fc.assert(
    fc.property(publication, fc.uint8Array({ maxLength: 5 }), ({ messageId, ...content }, before) => {
      const packet = mqtt.generate({ cmd: 'publish', dup: false, messageId, ...content });

      expect(isPublish(packet)).toBe(true);
      const read = { ...content, messageId: content.qos > 0 ? messageId : 0 };
      expect(readPublish(packet)).toEqual(read);
      const among = Buffer.concat([before, packet, before]);
      expect(isPublish(among, before.length)).toBe(true);
      expect(readPublish(among, before.length, before.length + packet.length)).toEqual(read);
    }),
  );
});

test('decodes no packet that MQTT does not allow, and never throws', () => {
  const broken = [
    [0x36, 6, 0, 1, 0x61, 0, 1, 0x78],
    [0x32, 5, 0, 1, 0x61, 0, 0],
    [0x32, 4, 0, 1, 0x61, 0],
    [0x30, 3, 0, 9, 0x61],
    [0x30, 1, 0],
    [0x30, 0],
  ];
  for (const bytes of broken) expect(readPublish(Buffer.from(bytes)), String(bytes)).toBeUndefined();
});
