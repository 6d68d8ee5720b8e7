import { fileURLToPath } from 'node:url';
import { installedPackages } from '../licences/installed-packages.ts';
import { type LicensedPackage, licenceOf } from '../licences/licence-of.ts';
import { type LockedPackage, neededBy, readLockfile } from './lockfile.ts';

/** A third-party package in a release. */
export interface ShippedPackage extends LockedPackage, LicensedPackage {
  /** The programs that contain it, such as `agent`. */
  readonly usedBy: readonly string[];
}

/** The programs of a release, and what builds them without being in them. */
const programs = [
  { name: 'agent', folder: 'packages/agent' },
  { name: 'server', folder: 'packages/server' },
  { name: 'admin', folder: 'packages/admin' },
  { name: 'page', folder: 'packages/dashboard', without: ['vite'] },
] as const;

const root = new URL('../../../../', import.meta.url);

/**
 * Every third-party package that a program of a release may contain, by name: those of the lockfile, with the licences of
 * the installed packages. Throws UnknownLicence.
 */
export async function shippedPackages(): Promise<ShippedPackage[]> {
  const lockfile = await readLockfile(new URL('pnpm-lock.yaml', root));
  const folders = await installedPackages(fileURLToPath(new URL('node_modules/.pnpm', root)));
  const uses = new Map<string, { readonly locked: LockedPackage; readonly usedBy: string[] }>();
  for (const { name, folder, ...others } of programs) {
    for (const [id, locked] of neededBy(lockfile, folder, 'without' in others ? others.without : [])) {
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
