import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import type { TreeFile } from '../deb/build-deb.ts';
import { type LicensedPackage, licenceOf } from '../licences/licence-of.ts';

export interface Bundle {
  /** All in one folder, so `import.meta.dirname` is the same in every module. */
  readonly files: TreeFile[];
  /** The third-party packages in it. */
  readonly packages: readonly LicensedPackage[];
  /** The paths of all bundled sources. */
  readonly modules: readonly string[];
}

/**
 * Programs without dependencies: `<name>.mjs` in `folder` for each entry of `input`, a module by its name. What only some
 * commands need, or several programs share, is in files of its own. Throws UnknownLicence.
 */
export async function bundle(
  input: Readonly<Record<string, string>>,
  folder: string,
  { minify = true } = {},
): Promise<Bundle> {
  const build = await rolldown({ input, platform: 'node', logLevel: 'warn' });
  const names = { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' };
  const { output } = await build.generate({ ...names, format: 'esm', minify });
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
  return { files, modules, packages: await Promise.all([...folders].map(licenceOf)) };
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
