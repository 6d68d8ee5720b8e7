import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { TreeFile } from '../deb/build-deb.ts';

/** All files below a folder, by their paths in it, without those of editors and file managers. */
export async function filesBelow(folder: string): Promise<(TreeFile & { readonly content: Buffer })[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && !/^\.|~$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(
    paths.sort().map(async (path) => ({ path: `/${relative(folder, path)}`, content: await readFile(path) })),
  );
}
