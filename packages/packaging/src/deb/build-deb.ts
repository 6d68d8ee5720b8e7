import { createHash } from 'node:crypto';
import { constants, zstdCompressSync } from 'node:zlib';
import { type TreeFile, tarArchive } from './tar-archive.ts';

export interface DebContent {
  /** Fields of the control file, without Installed-Size; see deb-control(5). */
  readonly control: Readonly<Record<string, string>>;
  /** Maintainer scripts by name, such as `postinst`. */
  readonly scripts: Readonly<Record<string, string>>;
  /** Configuration files among `files`; an upgrade does not overwrite their changes. */
  readonly conffiles: readonly string[];
  readonly files: readonly TreeFile[];
  /** The modification time of all files (epoch seconds). */
  readonly time: number;
}

/** A Debian package, see deb(5): the same content gives the same bytes. dpkg reads zstd from 1.21.18 on. */
export async function buildDeb({ control, scripts, conffiles, files, time }: DebContent): Promise<Buffer> {
  const fields = { ...control, 'Installed-Size': String(installedSize(files)) };
  const text = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
  const controlFiles: TreeFile[] = [
    { path: '/control', content: text.join('') },
    { path: '/md5sums', content: checksums(files) },
    ...(conffiles.length > 0
      ? [{ path: '/conffiles', content: conffiles.map((path) => `${path}\n`).join('') }]
      : []),
    ...Object.entries(scripts).map(([name, content]) => ({ path: `/${name}`, content, mode: 0o755 })),
  ];
  const members = [
    { name: 'debian-binary', content: Buffer.from('2.0\n') },
    { name: 'control.tar.zst', content: compressed(await tarArchive(controlFiles, time)) },
    { name: 'data.tar.zst', content: compressed(await tarArchive(files, time)) },
  ];
  return arArchive(members, time);
}

function compressed(archive: Buffer): Buffer {
  return zstdCompressSync(archive, { params: { [constants.ZSTD_c_compressionLevel]: 15 } });
}

/** In KiB, as dpkg counts. */
function installedSize(files: readonly TreeFile[]): number {
  return files.reduce((sum, { content = '' }) => sum + Math.ceil(Buffer.byteLength(content) / 1_024), 0);
}

function checksums(files: readonly TreeFile[]): string {
  const lines = files.flatMap(({ path, content }) =>
    content === undefined ? [] : [`${createHash('md5').update(content).digest('hex')}  ${path.slice(1)}\n`],
  );
  return lines.sort().join('');
}

/** A file in an archive. */
export interface Member {
  /** At most 16 characters. */
  readonly name: string;
  readonly content: Buffer;
}

/** An archive in the format of `ar`, see deb(5); every member with the same time (epoch seconds). */
export function arArchive(members: readonly Member[], time: number): Buffer {
  const parts = members.flatMap(({ name, content }) => [
    Buffer.from(header(name, content.length, time), 'latin1'),
    content,
    Buffer.alloc(content.length % 2, '\n'),
  ]);
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts]);
}

function header(name: string, size: number, time: number): string {
  const field = (value: string | number, width: number) => String(value).padEnd(width);
  return `${field(name, 16)}${field(time, 12)}${field(0, 6)}${field(0, 6)}${field(100644, 8)}${field(size, 10)}\`\n`;
}
