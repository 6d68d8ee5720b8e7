import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';

/** A third-party package in the lockfile. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** Of its archive, as the registry's `dist.integrity`. */
  readonly integrity: string;
  /** The packages that it depends on, as `name@version`. */
  readonly dependencies: readonly string[];
}

/** The entry of a package of this repository in `pnpm-lock.yaml`. */
interface Importer {
  readonly dependencies?: Readonly<Record<string, { readonly version: string }>>;
}

type Versions = Readonly<Record<string, string>>;

interface Lockfile {
  readonly importers: Readonly<Record<string, Importer>>;
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly resolution: { readonly integrity?: string };
        readonly peerDependencies?: Versions;
        readonly os?: readonly string[];
        readonly cpu?: readonly string[];
      }
    >
  >;
  readonly snapshots: Readonly<
    Record<string, { readonly dependencies?: Versions; readonly optionalDependencies?: Versions }>
  >;
}

export async function readLockfile(path: string | URL): Promise<Lockfile> {
  return parse(await readFile(path, 'utf8'));
}

/**
 * The third-party packages that a package of this repository needs at run time, directly or through other packages, by
 * `name@version`. Leaves out those in `without`, and optional ones that are peers or for one kind of machine, which no
 * release contains.
 */
export function neededBy(
  lockfile: Lockfile,
  folder: string,
  without: readonly string[] = [],
): ReadonlyMap<string, LockedPackage> {
  const found = new Map<string, LockedPackage>();
  const seen = new Set<string>();
  const visitImporter = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const [name, { version }] of Object.entries(lockfile.importers[path]?.dependencies ?? {})) {
      if (without.includes(name)) continue;
      if (version.startsWith('link:')) visitImporter(linked(path, version));
      else visit(keyOf(name, version));
    }
  };
  const visit = (key: string): void => {
    const id = idOf(key);
    if (found.has(id)) return;
    const needs = [
      ...keysOf(lockfile.snapshots[key]?.dependencies),
      ...keysOf(lockfile.snapshots[key]?.optionalDependencies).filter((optional) => {
        const { os, cpu } = lockfile.packages[idOf(optional)] ?? {};
        const isPeer = nameAndVersion(idOf(optional)).name in (lockfile.packages[id]?.peerDependencies ?? {});
        return !os && !cpu && !isPeer;
      }),
    ];
    found.set(id, {
      ...nameAndVersion(id),
      integrity: integrityOf(lockfile, id),
      dependencies: needs.map(idOf),
    });
    for (const need of needs) visit(need);
  };
  visitImporter(folder);
  return found;
}

/** The folder of another package of this repository, from the root: `packages/api` and `link:../wire`. */
function linked(from: string, link: string): string {
  return new URL(link.slice('link:'.length), `file:///${from}/`).pathname.slice(1);
}

function keysOf(versions: Versions = {}): string[] {
  return Object.entries(versions).map(([name, version]) => keyOf(name, version));
}

/** The key of a snapshot: a version with a name is an alias. */
function keyOf(name: string, version: string): string {
  return /^@?[^@(]+@/.test(version) ? version : `${name}@${version}`;
}

/** Without the versions of its peers in parentheses. */
function idOf(key: string): string {
  return key.replace(/\(.*$/, '');
}

function nameAndVersion(id: string): { readonly name: string; readonly version: string } {
  const at = id.lastIndexOf('@');
  return { name: id.slice(0, at), version: id.slice(at + 1) };
}

function integrityOf(lockfile: Lockfile, id: string): string {
  const integrity = lockfile.packages[id]?.resolution.integrity;
  if (integrity === undefined) throw new Error(`pnpm-lock.yaml has no checksum of ${id}`);
  return integrity;
}
