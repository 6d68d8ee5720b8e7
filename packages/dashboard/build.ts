import { glob, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';

/* Builds `dist` from the sources; with `--if-older` only if a source is newer. */

const root = import.meta.dirname;
const dist = join(root, 'dist');

if (!process.argv.includes('--if-older') || (await isOlder())) await buildPage();

/** Builds in another folder and renames it, so that a server never serves an incomplete `dist`. */
async function buildPage(): Promise<void> {
  const made = join(root, `dist-${process.pid}`);
  const old = `${made}-old`;
  await build({ root, build: { outDir: made, emptyOutDir: true }, logLevel: 'warn' });
  await rename(dist, old).catch(() => {});
  await rename(made, dist);
  await rm(old, { recursive: true, force: true });
}

async function isOlder(): Promise<boolean> {
  const built = await stat(join(dist, 'index.html')).catch(() => undefined);
  if (built === undefined) return true;
  for await (const file of glob(['src/**/*', 'index.html', 'vite.config.ts', 'package.json'], {
    cwd: root,
  })) {
    if ((await stat(join(root, file))).mtimeMs > built.mtimeMs) return true;
  }
  return false;
}
