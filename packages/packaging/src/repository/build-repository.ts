import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { BuiltPackage } from '../program/write-package.ts';
import type { Signer } from './signer.ts';

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
const dist = 'dists/stable';

/**
 * Writes a repository for apt with apt-ftparchive: packages, their indexes, and the signed list of the indexes. It has no
 * date of expiry: the key is offline, so nobody could renew it (docs/releases.md). The same content gives the same bytes.
 */
export async function buildRepository(content: RepositoryContent): Promise<void> {
  const { out, packages, version, time, signer } = content;
  for (const one of packages) {
    await mkdir(join(out, poolOf(one)), { recursive: true });
    await copyFile(one.path, join(out, poolOf(one), basename(one.path)));
  }
  const architectures = [...new Set(packages.map(({ architecture }) => architecture))].sort();
  for (const architecture of architectures) {
    const own = packages.filter((one) => one.architecture === architecture);
    /* Sorted: it reads files in the order of the file system. Packages of earlier versions in these folders are listed too. */
    const list = (pool: string) =>
      ftparchive(out, '--arch', architecture, 'packages', pool).split(/(?<=\n\n)/);
    const index = Buffer.from([...new Set(own.map(poolOf))].flatMap(list).sort().join(''));
    await writeIndex(join(out, dist, 'main', `binary-${architecture}`), index);
  }
  const fields = {
    Origin: 'Visitor Counter',
    Label: 'Visitor Counter',
    Suite: 'stable',
    Codename: 'stable',
    Version: version,
    Date: new Date(time * 1_000).toUTCString().replace('GMT', 'UTC'),
    'Acquire-By-Hash': 'yes',
    Architectures: architectures.join(' '),
    Components: 'main',
    Description: 'Counter units and server of Visitor Counter',
  };
  const options = Object.entries(fields).flatMap(([k, v]) => ['-o', `APT::FTPArchive::Release::${k}=${v}`]);
  const release = ftparchive(out, ...options, 'release', dist);
  await writeFile(join(out, dist, 'Release'), release);
  await writeFile(join(out, dist, 'Release.gpg'), signer.detached(release));
  await writeFile(join(out, dist, 'InRelease'), signer.clear(release));
  await writeFile(join(out, keyFile), signer.publicKey);
}

function poolOf({ name }: BuiltPackage): string {
  return join('pool/main', name.slice(0, 1), name);
}

function ftparchive(cwd: string, ...args: string[]): string {
  return execFileSync('apt-ftparchive', args, { cwd, encoding: 'utf8' });
}

/** apt requests the name with the hash, so that index and list match even while a new release is copied to the web server. */
async function writeIndex(folder: string, index: Buffer): Promise<void> {
  for (const [name, content] of [
    ['Packages', index],
    ['Packages.gz', gzipSync(index, { level: 9 })],
  ] as const) {
    const byHash = join(folder, 'by-hash/SHA256', createHash('sha256').update(content).digest('hex'));
    await mkdir(dirname(byHash), { recursive: true });
    await writeFile(byHash, content);
    await writeFile(join(folder, name), content);
  }
}
