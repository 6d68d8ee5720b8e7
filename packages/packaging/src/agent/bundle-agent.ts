import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LicensedPackage, licenceOf } from '@visitor-counter/service/licences/licence-of';
import { rolldown } from 'rolldown';
import type { TreeFile } from '../deb/build-deb.ts';

/**
 * The agent as one program without dependencies. Modules that only some commands need are separate files, so a counting
 * unit does not load them. Returns its third-party packages as well. Throws UnknownLicence.
 */
export async function bundleAgent(
  folder: string,
): Promise<{ readonly files: TreeFile[]; readonly packages: readonly LicensedPackage[] }> {
  const input = { agent: fileURLToPath(import.meta.resolve('@visitor-counter/agent/main')) };
  const build = await rolldown({ input, platform: 'node', logLevel: 'warn' });
  const names = { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' };
  const { output } = await build.generate({ ...names, format: 'esm', minify: true });
  await build.close();
  const chunks = output.map((file) => {
    if (file.type !== 'chunk') throw new Error(`the bundle has a file that is no module: ${file.fileName}`);
    return file;
  });
  const files = chunks.map(({ fileName, code }) => ({
    path: `${folder}/${fileName}`,
    content: inAscii(code),
  }));
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds);
  const folders = new Set(modules.flatMap((module) => foldersOf(module)));
  return { files, packages: await Promise.all([...folders].map(licenceOf)) };
}

/** The folder of the third-party package of a module. */
function foldersOf(module: string): string[] {
  if (module.includes('rolldown/runtime'))
    return [dirname(dirname(fileURLToPath(import.meta.resolve('rolldown'))))];
  const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module) ?? [];
  return folder === undefined ? [] : [folder];
}

/** V8 stores a source with a single character beyond Latin-1 in twice the memory. */
function inAscii(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * How Node runs the agent: a small unit's memory matters more than its speed. A small young generation, no
 * compiled code, and no start from a snapshot, whose pages stay in memory.
 */
export const leanNode = ['--max-semi-space-size=1', '--lite-mode', '--no-node-snapshot'] as const;
