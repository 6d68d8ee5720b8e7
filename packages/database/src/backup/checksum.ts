import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { writeAtomically } from '@visitor-counter/service/files';

/** The file next to a backup with its SHA-256, as `sha256sum` writes it. */
export function checksumFile(file: string): string {
  return `${file}.sha256`;
}

/** Writes the checksum of a backup, which `written` has now, and will have the name `file`. */
export async function writeChecksum(written: string, file: string): Promise<void> {
  await writeAtomically(checksumFile(file), `${await sha256Of(written)}  ${basename(file)}\n`);
}

/** Whether a backup has its checksum; undefined if there is none. */
export async function hasChecksum(file: string): Promise<boolean | undefined> {
  const expected = await readFile(checksumFile(file), 'utf8').catch(() => undefined);
  return expected === undefined ? undefined : expected.startsWith(`${await sha256Of(file)} `);
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
