import { glob, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'vite';

/* Builds the page to `dist`, with `--if-older` only if a source is newer, or to the folder `--out`. */

const root = import.meta.dirname;
const dist = join(root, 'dist');
const { values } = parseArgs({ options: { out: { type: 'string' }, 'if-older': { type: 'boolean' } } });

if (values.out !== undefined) await buildPage(values.out);
else if (!values['if-older'] || (await isOlder())) await replaceDist();

/** Always the page for stores: with another NODE_ENV it would contain warnings for developers and paths of sources. */
async function buildPage(out: string): Promise<void> {
  process.env['NODE_ENV'] = 'production';
  await build({ root, build: { outDir: out, emptyOutDir: true }, logLevel: 'warn' });
}

/** Builds in another folder and renames it, so that a server never serves an incomplete `dist`. */
async function replaceDist(): Promise<void> {
  const made = join(root, `dist-${process.pid}`);
  const old = `${made}-old`;
  await buildPage(made);
  await rename(dist, old).catch(() => {});
  await rename(made, dist);
  await rm(old, { recursive: true, force: true });
}

async function isOlder(): Promise<boolean> {
  const built = await stat(join(dist, 'index.html')).catch(() => undefined);
  if (built === undefined) return true;
  for await (const file of glob(
    ['src/**/*', '../domain/src/visitor-words.ts', 'index.html', 'vite.config.ts', 'package.json'],
    {
      cwd: root,
    },
  )) {
    if ((await stat(join(root, file))).mtimeMs > built.mtimeMs) return true;
  }
  return false;
}
