import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { writeAtomically } from '@visitor-counter/service/files';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { folder } from '@visitor-counter/service/settings/kinds';
import { readSettings, type Settings } from '@visitor-counter/service/settings/setting';

export const backupSettings = {
  BACKUP_DIR: {
    kind: folder,
    otherwise: '`/var/lib/visitor-counter/backups` with the Debian package, else `backups` in the checkout',
    does: 'The folder into which `admin backup` writes, unless it is called with `--to`.',
  },
} satisfies Settings;

/** The folder of the backups. The launcher of the Debian package names its own one. */
export function backupFolder(env: Environment): string {
  const { BACKUP_DIR } = readSettings(backupSettings, env);
  return resolve(BACKUP_DIR ?? env['COUNTER_BACKUPS'] ?? resolve(import.meta.dirname, '../../../../backups'));
}

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
