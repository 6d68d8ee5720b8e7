import { rolldown } from 'rolldown';
import type { TreeFile } from '../deb/build-deb.ts';

interface Bundle {
  /** All in one folder, so `import.meta.dirname` is the same in every module. */
  readonly files: TreeFile[];
  /** The paths of all bundled sources. */
  readonly modules: readonly string[];
}

/**
 * Programs without dependencies: `/<name>.mjs` for each entry of `input`, a module by its name. Code that only some commands
 * need, or several programs share, is in separate files.
 */
export async function bundle(
  input: Readonly<Record<string, string>>,
  { minify = true } = {},
): Promise<Bundle> {
  const build = await rolldown({ input, platform: 'node', logLevel: 'warn' });
  const names = { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' };
  const { output } = await build.generate({ ...names, format: 'esm', minify });
  await build.close();
  const chunks = output.map((file) => {
    if (file.type !== 'chunk') throw new Error(`not a module in the bundle: ${file.fileName}`);
    return file;
  });
  const files = chunks.map(({ fileName, code }) => ({
    path: `/${fileName}`,
    content: inAscii(code),
  }));
  return { files, modules: chunks.flatMap(({ moduleIds }) => moduleIds) };
}

/** V8 stores a source with a single character beyond Latin-1 in twice the memory. */
function inAscii(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
