import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { copyright } from '../program/program-tree.ts';
import { bundleServer } from './bundle-server.ts';

/** Writes the programs of the server, the page and the licences to a folder, for the Dockerfile. */
export async function writeImageFiles(out: string): Promise<void> {
  const licences = { path: '/copyright', content: await copyright(['server', 'admin', 'dashboard']) };
  for (const { path, content } of [...(await bundleServer()), licences]) {
    await mkdir(dirname(join(out, path)), { recursive: true });
    await writeFile(join(out, path), content);
  }
}
