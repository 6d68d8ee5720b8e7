import mqtt from 'mqtt-packet';
import { expect, test } from 'vitest';
import { NotPuback, PubackReader } from './puback-reader.ts';

const puback = (messageId: number) => mqtt.generate({ cmd: 'puback', messageId });

test('reads every PUBACK once, for any chunks of the stream', () => {
  const ids = [1, 2, 255, 256, 65_535];
  const stream = Buffer.concat(ids.map(puback));
  for (let cut = 0; cut <= stream.length; cut += 1) {
    const reader = new PubackReader();
    const read = [...reader.read(stream.subarray(0, cut)), ...reader.read(stream.subarray(cut))];
    expect(read).toEqual(ids);
  }
});

test('rejects any other packet', () => {
  const other = Buffer.concat([mqtt.generate({ cmd: 'pingresp' }), puback(1)]);
  expect(() => new PubackReader().read(other)).toThrow(NotPuback);
});
