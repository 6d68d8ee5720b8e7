import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { constants, zstdCompressSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';

export interface DebContent {
  /** Fields of the control file, without Installed-Size; see deb-control(5). */
  readonly control: Readonly<Record<string, string>>;
  /** Other files for dpkg by name, such as `conffiles`. */
  readonly controlFiles?: Readonly<Record<string, string>>;
  /** Maintainer scripts by name, such as `postinst`. */
  readonly scripts: Readonly<Record<string, string>>;
  readonly files: readonly TreeFile[];
  /** The modification time of all files (epoch seconds). */
  readonly time: number;
}

/** A Debian package, see deb(5): the same content gives the same bytes. dpkg reads zstd from 1.21.18 on. */
export async function buildDeb(deb: DebContent): Promise<Buffer> {
  const { controlFiles: others = {}, scripts, files, time } = deb;
  const controlFiles: TreeFile[] = [
    { path: '/control', content: controlOf(deb) },
    { path: '/md5sums', content: checksums(files) },
    ...Object.entries(others).map(([name, content]) => ({ path: `/${name}`, content })),
    ...Object.entries(scripts).map(([name, content]) => ({ path: `/${name}`, content, mode: 0o755 })),
  ];
  const members = [
    { name: 'debian-binary', content: Buffer.from('2.0\n') },
    { name: 'control.tar.zst', content: compressed(await tarArchive(controlFiles, time)) },
    { name: 'data.tar.zst', content: compressed(await tarArchive(files, time)) },
  ];
  return arArchive(members, time);
}

/** The control file of a package. */
function controlOf({ control, files }: Pick<DebContent, 'control' | 'files'>): string {
  const fields = { ...control, 'Installed-Size': String(installedSize(files)) };
  return Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('');
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

/** A file, or a link where `link` is given, at an absolute path. A folder where the path ends with a slash. */
export interface TreeFile {
  readonly path: string;
  readonly content?: Buffer | string;
  /** Where a symbolic link points. */
  readonly link?: string;
  /** Permissions; 0o644 when left out, for folders 0o755. */
  readonly mode?: number;
  /** The number of its user and group; root when left out. */
  readonly owner?: number;
  /** It comes after all files without this mark. */
  readonly isLast?: boolean;
}

/**
 * A tar archive of these files and their folders. It depends only on the files and the time (epoch seconds), not on the
 * machine that builds it.
 */
export async function tarArchive(files: readonly TreeFile[], time: number): Promise<Buffer> {
  const archive = pack();
  const add = (
    { path, owner: id = 0 }: TreeFile,
    header: Pick<Header, 'type' | 'mode'> & { linkname?: string },
    content: Buffer | string = '',
  ) => {
    const names = id === 0 ? { uname: 'root', gname: 'root' } : {};
    const owner = { uid: id, gid: id, ...names };
    archive.entry({ name: `.${path}`, ...owner, mtime: new Date(time * 1_000), ...header }, content);
  };
  const [folders, others] = [foldersOf(files), files.filter(({ path }) => !path.endsWith('/'))];
  const sorted = others.sort(
    (a, b) => Number(a.isLast ?? false) - Number(b.isLast ?? false) || (a.path < b.path ? -1 : 1),
  );
  for (const folder of folders) add(folder, { type: 'directory', mode: folder.mode ?? 0o755 });
  for (const file of sorted) {
    if (file.link !== undefined) add(file, { type: 'symlink', linkname: file.link, mode: 0o777 });
    else add(file, { type: 'file', mode: file.mode ?? 0o644 }, file.content);
  }
  archive.finalize();
  return buffer(archive);
}

/** All folders above the files, parents first. */
function foldersOf(files: readonly TreeFile[]): TreeFile[] {
  const paths = new Set(['/']);
  for (const { path } of files) {
    const parts = path.split('/').slice(1, -1);
    for (const index of parts.keys()) paths.add(`/${parts.slice(0, index + 1).join('/')}/`);
  }
  return [...paths].sort().map((path) => files.find((file) => file.path === path) ?? { path });
}
