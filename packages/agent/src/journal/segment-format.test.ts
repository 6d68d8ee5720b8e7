import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import {
  checksumSeed,
  decodeHeader,
  encodeHeader,
  encodeRecords,
  readRecord,
  unwritten,
} from './segment-format.ts';

const journal = '0123456789abcdef0123456789abcdef';
const crossing = unwritten({ at: 1_700_000_000_000, direction: -1, uncertainty: 7, isDated: false });
const seed = checksumSeed(journal);

/** A record with a valid checksum and one byte that is different. */
function recordWith(offset: number, byte: number): Buffer {
  const record = encodeRecords([crossing], 5, journal);
  record[offset] = byte;
  record.writeUInt32LE(crc32(record.subarray(8), crc32(record.subarray(0, 4), seed)), 4);
  return record;
}

test('reads what it has written', () => {
  const record = encodeRecords([{ ...crossing, moment: 12_345.678 as typeof crossing.moment }], 5, journal);
  expect(readRecord(record, 0, 5, seed)).toEqual({ ...crossing, moment: 12_345.678, sequence: 5 });
});

test('reads no record of another journal, which a file may contain after a disk error', () => {
  const record = encodeRecords([crossing], 5, journal.replaceAll('0', 'f'));
  expect(readRecord(record, 0, 5, seed)).toBeUndefined();
});

test.each([
  ['another type', 0, 2],
  ['no direction', 1, 0],
  ['an impossible direction', 1, 2],
])('reads no record of %s, although its checksum is right', (_, offset, byte) => {
  expect(readRecord(recordWith(0, 1), 0, 5, seed)).toMatchObject({ sequence: 5 });
  expect(readRecord(recordWith(offset, byte), 0, 5, seed)).toBeUndefined();
});

test('reads the second copy of a header if the first one is damaged, and no header of another version', () => {
  const segment = { first: 5, lastAt: 1_700_000_000_000, boot: '11111111-0000-4000-8000-000000000000' };
  const header = encodeHeader(journal, segment);
  expect(decodeHeader(header)).toEqual({ journal, ...segment });
  header[20] = (header[20] ?? 0) ^ 1;
  expect(decodeHeader(header)).toEqual({ journal, ...segment });

  const other = encodeHeader(journal, segment);
  for (const copy of [other.subarray(0, 64), other.subarray(64)]) {
    copy.writeUInt16LE(2, 8);
    copy.writeUInt32LE(crc32(copy.subarray(0, 60)), 60);
  }
  expect(decodeHeader(other)).toBeUndefined();
});
