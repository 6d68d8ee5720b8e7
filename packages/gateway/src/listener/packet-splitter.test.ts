import { maxPacketBytes } from '@visitor-counter/wire/limits';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PacketSplitter } from './packet.ts';

/** A PUBLISH whose body has `length` bytes, all of which look like the start of a long packet. */
function packetOf(length: number): Buffer {
  const low = length % 128;
  const header = length < 128 ? [0x30, low] : [0x30, low | 0x80, Math.floor(length / 128)];
  return Buffer.concat([Buffer.from(header), Buffer.alloc(length, 0xff)]);
}

const packet = fc.nat(2_000).map(packetOf);
const cuts = fc.array(fc.integer({ min: 1, max: 1_500 }), { minLength: 1 });

test('returns every whole packet up to the first one beyond the limit, however the stream is split', () => {
  fc.assert(
    fc.property(fc.array(packet), fc.integer({ min: 2, max: 2_100 }), cuts, (packets, limit, sizes) => {
      const passed: Buffer[] = [];
      const splitter = new PacketSplitter(limit, (bytes, start, end) =>
        passed.push(Buffer.from(bytes.subarray(start, end))),
      );

      const accepted = chunks(Buffer.concat(packets), sizes).every((chunk) => {
        const accepts = splitter.accept(chunk);
        /* The buffer of the socket is used again after this. */
        chunk.fill(0);
        return accepts;
      });

      const tooLarge = packets.findIndex(({ length }) => length > limit);
      expect(accepted).toBe(tooLarge < 0);
      const expected = tooLarge < 0 ? packets : packets.slice(0, tooLarge);
      expect(passed.map((one) => one.toString('hex'))).toEqual(expected.map((one) => one.toString('hex')));
      expect(splitter.packets).toBe(expected.length + (tooLarge < 0 ? 0 : 1));
    }),
  );
});

test('refuses a length of more than four bytes', () => {
  const splitter = new PacketSplitter(maxPacketBytes, () => {});
  expect(splitter.accept(Buffer.from([0x30, 0x80, 0x80, 0x80, 0x80]))).toBe(false);
});

test('refuses an oversized packet as soon as its length is read', () => {
  const splitter = new PacketSplitter(maxPacketBytes, () => {});
  const header = Buffer.from([0x30, 0x81, 0x80, 0x04]);
  expect([...header].map((byte) => splitter.accept(Buffer.from([byte])))).toEqual([true, true, true, false]);
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
