import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import type { TreeFile } from './deb/tar-archive.ts';

/**
 * The agent as one program without dependencies: modules that only some commands need are files of their own, so
 * that a counting unit does not keep them in memory.
 */
export async function bundleAgent(folder: string): Promise<TreeFile[]> {
  const input = { agent: fileURLToPath(import.meta.resolve('@visitor-counter/agent/main')) };
  const build = await rolldown({ input, platform: 'node', logLevel: 'warn' });
  const names = { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' };
  const { output } = await build.generate({ ...names, format: 'esm', minify: true });
  await build.close();
  return output.map((file) => {
    if (file.type !== 'chunk') throw new Error(`the bundle has a file that is no module: ${file.fileName}`);
    return { path: `${folder}/${file.fileName}`, content: inAscii(file.code) };
  });
}

/** V8 keeps a source with a single character beyond Latin-1 in twice the memory. */
function inAscii(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
