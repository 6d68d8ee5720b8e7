import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { BuiltPackage } from '../program/write-package.ts';
import type { Signer } from './signing-key.ts';

interface RepositoryContent {
  /** The folder of the repository. */
  readonly out: string;
  readonly packages: readonly BuiltPackage[];
  readonly version: string;
  /** The date of the repository (epoch seconds). */
  readonly time: number;
  readonly signer: Signer;
}

/** The file of the public key at the root of the repository. */
export const keyFile = 'visitor-counter.asc';
const suite = 'stable';
const component = 'main';

/**
 * Writes a repository for apt: packages, their indexes, and the signed list of the indexes. It has no date of expiry:
 * the key is offline, so nobody could renew it (docs/releases.md). The same content gives the same bytes.
 */
export async function buildRepository({
  out,
  packages,
  version,
  time,
  signer,
}: RepositoryContent): Promise<void> {
  const entries = await Promise.all(packages.map((one) => addToPool(out, one)));
  const indexes = indexesOf(entries);
  const dist = join('dists', suite);
  for (const { path, content } of indexes) {
    await write(out, join(dist, path), content);
    /* apt requests this name, so that index and list match even while a new release is copied to the web server. */
    await write(out, join(dist, dirname(path), 'by-hash/SHA256', sha256(content)), content);
  }
  const release = releaseFile(indexes, { version, time });
  await write(out, join(dist, 'Release'), release);
  await write(out, join(dist, 'Release.gpg'), await signer.detached(release));
  await write(out, join(dist, 'InRelease'), await signer.clear(release));
  await write(out, keyFile, signer.publicKey);
}

interface PoolEntry {
  readonly architecture: string;
  readonly paragraph: string;
}

async function addToPool(
  out: string,
  { path, name, architecture, control }: BuiltPackage,
): Promise<PoolEntry> {
  const deb = await readFile(path);
  const file = `pool/${component}/${name[0]}/${name}/${basename(path)}`;
  await mkdir(join(out, dirname(file)), { recursive: true });
  await copyFile(path, join(out, file));
  const paragraph = `${control}Filename: ${file}\nSize: ${deb.length}\nSHA256: ${sha256(deb)}\n`;
  return { architecture, paragraph };
}

interface Index {
  /** Below the folder of the suite. */
  readonly path: string;
  readonly content: Buffer;
}

/** For each processor the packages that are for it. */
function indexesOf(entries: readonly PoolEntry[]): Index[] {
  const architectures = new Set(entries.map(({ architecture }) => architecture));
  return [...architectures].sort().flatMap((architecture) => {
    const fitting = entries.filter((entry) => entry.architecture === architecture);
    const text = fitting.map(({ paragraph }) => paragraph).sort();
    const content = Buffer.from(text.join('\n'));
    const path = `${component}/binary-${architecture}/Packages`;
    return [
      { path, content },
      { path: `${path}.gz`, content: gzipSync(content, { level: 9 }) },
    ];
  });
}

function releaseFile(
  indexes: readonly Index[],
  { version, time }: { version: string; time: number },
): string {
  const architectures = new Set(indexes.flatMap(({ path }) => /binary-([^/]+)/.exec(path)?.[1] ?? []));
  const fields = {
    Origin: 'Visitor Counter',
    Label: 'Visitor Counter',
    Suite: suite,
    Codename: suite,
    Version: version,
    Date: new Date(time * 1_000).toUTCString().replace('GMT', 'UTC'),
    'Acquire-By-Hash': 'yes',
    Architectures: [...architectures].join(' '),
    Components: component,
    Description: 'Counter units and server of Visitor Counter',
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
  const sums = indexes.map(({ path, content }) => ` ${sha256(content)} ${content.length} ${path}\n`);
  return [...lines, 'SHA256:\n', ...sums].join('');
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

async function write(out: string, path: string, content: Buffer | string): Promise<void> {
  await mkdir(join(out, dirname(path)), { recursive: true });
  await writeFile(join(out, path), content);
}
