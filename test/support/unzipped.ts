import { crc32, inflateRawSync } from 'node:zlib';

/** The files of a ZIP archive by their paths, as text; throws if a checksum or a length is wrong. */
export function unzipped(archive: Buffer): Map<string, string> {
  const files = new Map<string, string>();
  const end = archive.lastIndexOf(Buffer.from('504b0506', 'hex'));
  let entry = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [crc, compressed, size] = [16, 20, 24].map((offset) => archive.readUInt32LE(entry + offset));
    const [length = 0, extra = 0, comment = 0] = [28, 30, 32].map((offset) =>
      archive.readUInt16LE(entry + offset),
    );
    const path = archive.toString('ascii', entry + 46, entry + 46 + length);
    const header = archive.readUInt32LE(entry + 42);
    const begin = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
    const content = inflateRawSync(archive.subarray(begin, begin + (compressed ?? 0)));
    if (content.length !== size || crc32(content) !== crc) throw new Error(`${path} is damaged`);
    files.set(path, content.toString());
    entry += 46 + length + extra + comment;
  }
  return files;
}
