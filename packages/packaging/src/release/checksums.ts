import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The SHA-256 of every file below a folder, in the format of `sha256sum`, by path. */
export async function checksums(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const lines: string[] = [];
  for (const path of files.map((file) => relative(folder, file)).sort()) {
    lines.push(`${await sha256(join(folder, path))}  ${path}\n`);
  }
  return lines.join('');
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
