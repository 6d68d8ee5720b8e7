import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The folder of each third-party package in a store of pnpm (`node_modules/.pnpm`), by `name@version`. In each of the
 * store's folders, real folders are packages, and links are their dependencies.
 */
export async function installedPackages(store: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await readdir(store)) {
    const modules = join(store, entry, 'node_modules');
    for (const name of await namesIn(modules)) {
      const folder = join(modules, name);
      if ((await lstat(folder)).isDirectory()) found.set(`${name}@${await versionOf(folder)}`, folder);
    }
  }
  return found;
}

async function versionOf(folder: string): Promise<string> {
  const { version }: { version: string } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return version;
}

async function namesIn(modules: string): Promise<string[]> {
  const names: string[] = [];
  for (const name of await readdir(modules).catch(() => [])) {
    if (name.startsWith('@'))
      for (const part of await readdir(join(modules, name))) names.push(`${name}/${part}`);
    else if (!name.startsWith('.')) names.push(name);
  }
  return names;
}
