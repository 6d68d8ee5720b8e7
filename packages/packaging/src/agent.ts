import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleAgent, leanNode } from './agent/package-agent.ts';
import type { TreeFile } from './deb/build-deb.ts';

const cache = fileURLToPath(new URL('../../../node_modules/.cache/agent', import.meta.url));

/* Bundling is worth its time only for `run`, which runs for years. */
if (process.argv[2] === 'run') await becomeBundledAgent(process.argv.slice(2));
await import('@visitor-counter/agent/main');

/**
 * Replaces this process with the bundled agent, which uses half the memory of its sources. Returns without effect if the
 * system has no execve.
 */
async function becomeBundledAgent(args: readonly string[]): Promise<void> {
  if (!process.execve) return;
  const program = join(await cachedBundle(), 'agent.mjs');
  process.execve(process.execPath, [process.execPath, ...leanNode, program, ...args], process.env);
}

/** The folder of the bundle of these sources; it is created atomically. */
async function cachedBundle(): Promise<string> {
  const files = await bundleAgent();
  const folder = join(cache, digest(files));
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const unfinished = await mkdtemp(join(dirname(folder), 'new-'));
  for (const { path, content = '' } of files) await writeFile(join(unfinished, basename(path)), content);
  await rename(unfinished, folder).catch(async (error: unknown) => {
    await rm(unfinished, { recursive: true });
    /* Another agent that starts at the same time was first. */
    if (!existsSync(folder)) throw error;
  });
  return folder;
}

function digest(files: readonly TreeFile[]): string {
  const hash = createHash('sha256');
  for (const { path, content = '' } of files) hash.update(path).update('\0').update(content);
  return hash.digest('hex').slice(0, 16);
}
