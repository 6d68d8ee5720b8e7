import { maxPacketBytes } from '@visitor-counter/wire/limits';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PacketMeter } from './packet-meter.ts';

/** A PUBLISH whose body has `length` bytes, all of which look like the start of a long packet. */
function packetOf(length: number): Buffer {
  const low = length % 128;
  const header = length < 128 ? [0x30, low] : [0x30, low | 0x80, Math.floor(length / 128)];
  return Buffer.concat([Buffer.from(header), Buffer.alloc(length, 0xff)]);
}

const packet = fc.nat(300).map(packetOf);

test('passes packets up to the limit and no other, however the stream is cut into chunks', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(packet), fc.integer({ min: 2, max: 320 }), cuts, (packets, limit, sizes) => {
      const meter = new PacketMeter(limit);
      const accepted = chunks(Buffer.concat(packets), sizes).every((chunk) => meter.accept(chunk));
      expect(accepted).toBe(packets.every(({ length }) => length <= limit));
    }),
  );
});

test('refuses a length that goes on beyond four bytes', () => {
  expect(new PacketMeter(maxPacketBytes).accept(Buffer.from([0x30, 0x80, 0x80, 0x80, 0x80]))).toBe(false);
});

function* chunksOf(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let start = 0, index = 0; start < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    yield bytes.subarray(start, start + size);
    start += size;
  }
}

function chunks(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  return [...chunksOf(bytes, sizes)];
}
