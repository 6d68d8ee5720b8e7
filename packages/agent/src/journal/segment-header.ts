import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The header of a segment file. */
export interface SegmentHeader {
  /** The journal's id: 32 hexadecimal digits. */
  readonly journal: string;
  /** Sequence of the first record. */
  readonly first: number;
  /** Instant (epoch ms) of the last crossing before this segment; 0 when there was none. */
  readonly lastAt: number;
  /** The boot in which the segment was created, to which all its records without a known instant belong. */
  readonly boot: string;
}

/** Two copies, so that one damaged sector does not make a whole segment unreadable… */
const copySize = 64;
/** …and a multiple of the record size. */
export const headerSize = 2 * copySize;

const magic = 'VISITORJ';
const version = 1;

/** Layout of a copy: magic 8, version 2, id 16, first 6, lastAt 6, boot 16, zeros, CRC-32 of all before in the last 4. */
export function encodeHeader({ journal, first, lastAt, boot }: SegmentHeader): Buffer {
  const copy = Buffer.alloc(copySize);
  copy.write(magic, 0, 'latin1');
  copy.writeUInt16LE(version, 8);
  copy.write(journal, 10, 'hex');
  copy.writeUIntLE(first, 26, 6);
  copy.writeUIntLE(lastAt, 32, 6);
  copy.write(boot.replaceAll('-', ''), 38, 'hex');
  copy.writeUInt32LE(crc32(copy.subarray(0, copySize - 4)), copySize - 4);
  return Buffer.concat([copy, copy]);
}

/** The header at the start of a segment; undefined when neither copy is whole. */
export function decodeHeader(bytes: Buffer): SegmentHeader | undefined {
  return decodeCopy(bytes.subarray(0, copySize)) ?? decodeCopy(bytes.subarray(copySize, headerSize));
}

function decodeCopy(copy: Buffer): SegmentHeader | undefined {
  if (copy.length < copySize || copy.toString('latin1', 0, 8) !== magic) return undefined;
  if (copy.readUInt32LE(copySize - 4) !== crc32(copy.subarray(0, copySize - 4))) return undefined;
  if (copy.readUInt16LE(8) !== version) return undefined;
  return {
    journal: copy.toString('hex', 10, 26),
    first: copy.readUIntLE(26, 6),
    lastAt: copy.readUIntLE(32, 6),
    boot: uuid(copy.toString('hex', 38, 54)),
  };
}

function uuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** A new journal's id: 32 hexadecimal digits. */
export function newJournalId(): string {
  return randomBytes(16).toString('hex');
}
