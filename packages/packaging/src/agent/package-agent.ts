import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { TreeFile } from '../deb/build-deb.ts';
import { bundle } from '../program/bundle.ts';
import { type BuiltPackage, type PackageOptions, safeNode, writePackage } from '../program/write-package.ts';

/**
 * How Node runs the agent: a small unit's memory matters more than its speed. A small young generation, no
 * compiled code, and no start from a snapshot, whose pages stay in memory.
 */
export const leanNode = [
  ...safeNode,
  '--max-semi-space-size=1',
  '--lite-mode',
  '--no-node-snapshot',
] as const;

export const agentPackage = {
  name: 'counter-agent',
  programs: ['agent'],
  bundle: bundleAgent,
  nodeOptions: leanNode,
  others,
} as const;

/** Builds the agent's package. The same commit gives the same bytes. */
export async function packageAgent(options: PackageOptions): Promise<BuiltPackage> {
  return writePackage(agentPackage, options);
}

/**
 * The agent as one program without dependencies. Modules that only some commands need are separate files, so a counting
 * unit does not load them.
 */
export async function bundleAgent(options?: { readonly minify?: boolean }): Promise<TreeFile[]> {
  const input = { agent: fileURLToPath(import.meta.resolve('@visitor-counter/agent/main')) };
  return (await bundle(input, options)).files;
}

const schema = new URL('../../../agent/agent-config.schema.json', import.meta.url);

async function others(): Promise<TreeFile[]> {
  return [
    /* systemd sets the clock to the time of this file if it is earlier, so certificates are valid. */
    { path: '/usr/lib/clock-epoch', content: '' },
    { path: '/usr/share/counter-agent/unit.schema.json', content: await readFile(schema) },
  ];
}
