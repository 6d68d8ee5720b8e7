import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundleAgent } from '@visitor-counter/packaging/agent/package-agent';
import { bundlePrograms } from '@visitor-counter/packaging/server/bundle-server';

/** Bundles the programs of the unit and the server into a folder, as their Debian packages do, but readable. */
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: bundle <folder>');

const readable = { minify: false };
const bundles = await Promise.all([bundlePrograms(readable), bundleAgent(readable)]);
for (const { path, content = '' } of bundles.flat()) {
  await mkdir(join(folder, dirname(path)), { recursive: true });
  await writeFile(join(folder, path), content);
}
