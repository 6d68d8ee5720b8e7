import { buffer } from 'node:stream/consumers';
import { type Header, pack } from 'tar-stream';

/** A file, or a link where `link` is given, at an absolute path. */
export interface TreeFile {
  readonly path: string;
  readonly content?: Buffer | string;
  /** Where a symbolic link points. */
  readonly link?: string;
  /** Permissions; 0o644 when left out. */
  readonly mode?: number;
  /** It comes after all files without this mark. */
  readonly isLast?: boolean;
}

/**
 * A tar archive of these files and their folders, owned by root. It depends only on the files and the time (epoch
 * seconds), not on the machine that builds it.
 */
export async function tarArchive(files: readonly TreeFile[], time: number): Promise<Buffer> {
  const archive = pack();
  const common = { uid: 0, gid: 0, uname: 'root', gname: 'root', mtime: new Date(time * 1_000) };
  const add = (entry: Partial<Header> & Pick<Header, 'name'>, content: Buffer | string = '') =>
    archive.entry({ ...common, ...entry }, content);
  const sorted = [...files].sort(
    (a, b) => Number(a.isLast ?? false) - Number(b.isLast ?? false) || (a.path < b.path ? -1 : 1),
  );
  for (const folder of foldersOf(sorted)) add({ name: `.${folder}`, type: 'directory', mode: 0o755 });
  for (const { path, content, link, mode = 0o644 } of sorted) {
    if (link !== undefined) add({ name: `.${path}`, type: 'symlink', linkname: link, mode: 0o777 });
    else add({ name: `.${path}`, type: 'file', mode }, content);
  }
  archive.finalize();
  return buffer(archive);
}

/** All folders above the files, parents first. */
function foldersOf(files: readonly TreeFile[]): string[] {
  const folders = new Set(['/']);
  for (const { path } of files) {
    const parts = path.split('/').slice(1, -1);
    for (const index of parts.keys()) folders.add(`/${parts.slice(0, index + 1).join('/')}/`);
  }
  return [...folders].sort();
}
