import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { crc32, createDeflateRaw } from 'node:zlib';

/** A file in an archive; its content comes piece by piece. */
export interface ZipEntry {
  /** ASCII. */
  readonly path: string;
  readonly content: Iterable<string>;
}

/** 1 January 1980, so that the same content always gives the same bytes. */
const date = 0x0021;
const version = 20;
const deflated = 8;

/**
 * An archive in the format of PKWARE's APPNOTE 6.3, without its extensions for more than 65,535 files or 4 GiB. Compresses
 * outside of the thread of the caller, which can do other work between two pieces.
 */
export async function zip(entries: readonly ZipEntry[]): Promise<Buffer> {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { crc, size, bytes } = await compressed(entry.content);
    const path = Buffer.from(entry.path, 'ascii');
    const about = aboutFile({ crc, size, compressed: bytes.length, path });
    const header = Buffer.concat([numbers([4, 0x04034b50]), about, path]);
    const position = numbers([2, 0], [2, 0], [2, 0], [4, 0], [4, offset]);
    directory.push(Buffer.concat([numbers([4, 0x02014b50], [2, version]), about, position, path]));
    files.push(header, bytes);
    offset += header.length + bytes.length;
  }
  const list = Buffer.concat(directory);
  const count = entries.length;
  const end = numbers(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, list.length],
    [4, offset],
    [2, 0],
  );
  return Buffer.concat([...files, list, end]);
}

/** What the header of a file and its entry in the directory have in common. */
function aboutFile(file: { crc: number; size: number; compressed: number; path: Buffer }): Buffer {
  const sizes = [
    [4, file.crc],
    [4, file.compressed],
    [4, file.size],
  ] as const;
  return numbers(
    [2, version],
    [2, 0],
    [2, deflated],
    [2, 0],
    [2, date],
    ...sizes,
    [2, file.path.length],
    [2, 0],
  );
}

async function compressed(content: Iterable<string>) {
  const deflate = createDeflateRaw();
  const result = buffer(deflate);
  let [crc, size] = [0, 0];
  for (const piece of content) {
    const bytes = Buffer.from(piece);
    crc = crc32(bytes, crc);
    size += bytes.length;
    if (!deflate.write(bytes)) await once(deflate, 'drain');
  }
  deflate.end();
  return { crc, size, bytes: await result };
}

/** Unsigned numbers of so many bytes, the lowest byte first. */
function numbers(...values: readonly (readonly [bytes: number, value: number])[]): Buffer {
  return Buffer.concat(
    values.map(([bytes, value]) => {
      const written = Buffer.alloc(bytes);
      written.writeUIntLE(value, 0, bytes);
      return written;
    }),
  );
}
