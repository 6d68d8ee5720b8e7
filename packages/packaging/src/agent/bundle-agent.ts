import { fileURLToPath } from 'node:url';
import type { TreeFile } from '../deb/build-deb.ts';
import { bundle } from '../program/bundle.ts';

/**
 * The agent as one program without dependencies. Modules that only some commands need are separate files, so a counting
 * unit does not load them.
 */
export async function bundleAgent(options?: { readonly minify?: boolean }): Promise<TreeFile[]> {
  const input = { agent: fileURLToPath(import.meta.resolve('@visitor-counter/agent/main')) };
  return (await bundle(input, options)).files;
}

/**
 * How Node runs the agent: a small unit's memory matters more than its speed. A small young generation, no
 * compiled code, and no start from a snapshot, whose pages stay in memory.
 */
export const leanNode = ['--max-semi-space-size=1', '--lite-mode', '--no-node-snapshot'] as const;
