import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { constants, zstdCompressSync } from 'node:zlib';
import { pack } from 'tar-stream';

/** What a package contains, as dpkg-deb lays it out: its control files are in the folder `/DEBIAN`. */
export interface DebContent {
  readonly files: readonly TreeFile[];
  /** The modification time of all files (epoch seconds). */
  readonly time: number;
}

const controlFolder = '/DEBIAN';

/**
 * A Debian package, see deb(5): the same content gives the same bytes. Adds Installed-Size and md5sums. dpkg reads zstd from
 * 1.21.18 on.
 */
export async function buildDeb({ files, time }: DebContent): Promise<Buffer> {
  const installed = files.filter(({ path }) => !path.startsWith(`${controlFolder}/`));
  const control = files.filter((file) => !installed.includes(file));
  const controlFiles = control.map((file) => {
    const path = file.path.slice(controlFolder.length);
    const added = path === '/control' ? `Installed-Size: ${installedSize(installed)}\n` : '';
    return { ...file, path, content: `${file.content}${added}` };
  });
  controlFiles.push({ path: '/md5sums', content: checksums(installed) });
  const members = [
    { name: 'debian-binary', content: Buffer.from('2.0\n') },
    { name: 'control.tar.zst', content: compressed(await tarArchive(controlFiles, time)) },
    { name: 'data.tar.zst', content: compressed(await tarArchive(installed, time)) },
  ];
  return arArchive(members, time);
}

function compressed(archive: Buffer): Buffer {
  return zstdCompressSync(archive, { params: { [constants.ZSTD_c_compressionLevel]: 15 } });
}

/** In KiB, as dpkg counts. */
function installedSize(files: readonly TreeFile[]): number {
  return files.reduce((sum, { content }) => sum + Math.ceil(Buffer.byteLength(content) / 1_024), 0);
}

function checksums(files: readonly TreeFile[]): string {
  const lines = files.map(
    ({ path, content }) => `${createHash('md5').update(content).digest('hex')}  ${path.slice(1)}\n`,
  );
  return lines.sort().join('');
}

/** A file in an archive. */
interface Member {
  /** At most 16 characters. */
  readonly name: string;
  readonly content: Buffer;
}

/** An archive in the format of `ar`, see deb(5); every member with the same time (epoch seconds). */
function arArchive(members: readonly Member[], time: number): Buffer {
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

/** A file of root at an absolute path. */
export interface TreeFile {
  readonly path: string;
  readonly content: Buffer | string;
  /** Permissions; 0o644 when left out. */
  readonly mode?: number;
  /** It comes after all files without this mark. */
  readonly isLast?: boolean;
}

/**
 * A tar archive of these files and their folders. It depends only on the files and the time (epoch seconds), not on the
 * machine that builds it.
 */
export async function tarArchive(files: readonly TreeFile[], time: number): Promise<Buffer> {
  const archive = pack();
  const common = { uid: 0, gid: 0, uname: 'root', gname: 'root', mtime: new Date(time * 1_000) };
  for (const folder of foldersOf(files)) {
    archive.entry({ ...common, name: `.${folder}`, type: 'directory', mode: 0o755 });
  }
  const sorted = files.toSorted(
    (a, b) => Number(a.isLast ?? false) - Number(b.isLast ?? false) || (a.path < b.path ? -1 : 1),
  );
  for (const { path, content, mode = 0o644 } of sorted) {
    archive.entry({ ...common, name: `.${path}`, type: 'file', mode }, content);
  }
  archive.finalize();
  return buffer(archive);
}

/** The paths of all folders above the files, parents first. */
function foldersOf(files: readonly TreeFile[]): string[] {
  const paths = new Set(['/']);
  for (const { path } of files) {
    const parts = path.split('/').slice(1, -1);
    for (const index of parts.keys()) paths.add(`/${parts.slice(0, index + 1).join('/')}/`);
  }
  return [...paths].sort();
}
