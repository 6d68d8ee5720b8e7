import { fileURLToPath } from 'node:url';
import { type Bundle, bundle } from '../program/bundle.ts';

/**
 * The agent as one program without dependencies. Modules that only some commands need are separate files, so a counting
 * unit does not load them. Throws UnknownLicence.
 */
export function bundleAgent(folder: string, options?: { readonly minify?: boolean }): Promise<Bundle> {
  return bundle(
    { agent: fileURLToPath(import.meta.resolve('@visitor-counter/agent/main')) },
    folder,
    options,
  );
}

/**
 * How Node runs the agent: a small unit's memory matters more than its speed. A small young generation, no
 * compiled code, and no start from a snapshot, whose pages stay in memory.
 */
export const leanNode = ['--max-semi-space-size=1', '--lite-mode', '--no-node-snapshot'] as const;
