import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { extract } from 'tar-stream';

/** The control file of a Debian package, see deb(5). Throws an Error if the archive has none. */
export async function readControl(deb: Buffer): Promise<string> {
  for (const { name, content } of membersOf(deb)) {
    const unpack = unpackers[name];
    if (unpack === undefined) continue;
    for await (const entry of Readable.from([unpack(content)]).pipe(extract())) {
      if (/^(\.\/)?control$/.test(entry.header.name)) return (await text(entry)).trimEnd();
      entry.resume();
    }
  }
  throw new Error('the Debian package has no control file in control.tar.zst or control.tar.gz');
}

const unpackers: Readonly<Record<string, (content: Buffer) => Buffer>> = {
  'control.tar.zst': zstdDecompressSync,
  'control.tar.gz': gunzipSync,
  'control.tar': (content) => content,
};

const magic = '!<arch>\n';
const headerLength = 60;

/** The files in an archive of `ar`: a header of 60 characters before each, and an even length. */
function* membersOf(archive: Buffer): Generator<{ readonly name: string; readonly content: Buffer }> {
  if (archive.toString('latin1', 0, magic.length) !== magic) throw new Error('no Debian package');
  for (let at = magic.length; at < archive.length; ) {
    const header = archive.toString('latin1', at, at + headerLength);
    const size = Number(header.slice(48, 58));
    const begin = at + headerLength;
    yield {
      name: header.slice(0, 16).trim().replace(/\/$/, ''),
      content: archive.subarray(begin, begin + size),
    };
    at = begin + size + (size % 2);
  }
}

/** A field of a control file on one line, such as `Architecture`. */
export function fieldOf(control: string, name: string): string {
  const value = new RegExp(`^${name}: *(.+)$`, 'm').exec(control)?.[1];
  if (value === undefined) throw new Error(`the control file has no field ${name}`);
  return value.trim();
}
