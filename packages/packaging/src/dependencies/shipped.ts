import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LicensedPackage, licenceOf } from './licence-of.ts';
import { type LockedPackage, neededBy, readLockfile } from './lockfile.ts';

/** A third-party package in a release. */
export interface ShippedPackage extends LockedPackage, LicensedPackage {
  /** The programs that contain it, of those that were asked for. */
  readonly usedBy: readonly ProgramName[];
}

export type ProgramName = 'agent' | 'server' | 'admin' | 'page';

/** The folders of the programs, and what builds them without being in them. */
const programs: Readonly<Record<ProgramName, { folder: string; without?: readonly string[] }>> = {
  agent: { folder: 'packages/agent' },
  server: { folder: 'packages/server' },
  admin: { folder: 'packages/admin' },
  page: { folder: 'packages/dashboard', without: ['vite'] },
};

const root = new URL('../../../../', import.meta.url);

/**
 * Every third-party package that these programs of a release may contain, by name: those of the lockfile, with the licences of
 * the installed packages. Throws for a package without a known licence text.
 */
export async function shippedPackages(
  names: readonly ProgramName[] = ['agent', 'server', 'admin', 'page'],
): Promise<ShippedPackage[]> {
  const lockfile = await readLockfile(new URL('pnpm-lock.yaml', root));
  const folders = await installedPackages(fileURLToPath(new URL('node_modules/.pnpm', root)));
  const uses = new Map<string, { readonly locked: LockedPackage; readonly usedBy: ProgramName[] }>();
  for (const name of names) {
    const { folder, without } = programs[name];
    for (const [id, locked] of neededBy(lockfile, folder, without)) {
      const known = uses.get(id);
      if (known) known.usedBy.push(name);
      else uses.set(id, { locked, usedBy: [name] });
    }
  }
  const sorted = [...uses].sort(([a], [b]) => (a < b ? -1 : 1));
  return Promise.all(
    sorted.map(async ([id, { locked, usedBy }]) => {
      const folder = folders.get(id);
      if (folder === undefined) throw new Error(`${id} is not installed: run npx pnpm install`);
      return { ...locked, ...(await licenceOf(folder)), usedBy };
    }),
  );
}

/**
 * The folder of each third-party package in a store of pnpm (`node_modules/.pnpm`), by `name@version`. In each of the
 * store's folders, real folders are packages, and links are their dependencies.
 */
async function installedPackages(store: string): Promise<ReadonlyMap<string, string>> {
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
