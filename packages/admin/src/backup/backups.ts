import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A complete backup in a folder. */
export interface BackupFile {
  readonly file: string;
  /** When it was taken (epoch ms). */
  readonly takenAt: number;
  readonly bytes: number;
}

const namePattern = /^visitor-counter-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.tar$/;

/** The name of a backup that was taken at an instant (epoch ms). */
export function nameOfBackup(takenAt: number): string {
  return `visitor-counter-${new Date(takenAt).toISOString().replaceAll(/[-:.]/g, '')}.tar`;
}

/** The backups in a folder, newest first; none if there is no such folder. Other files are ignored. */
async function findBackups(folder: string): Promise<BackupFile[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const found = names.flatMap((name) => {
    const [, year, month, day, hour, minute, second, ms] = namePattern.exec(name) ?? [];
    if (ms === undefined) return [];
    const takenAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
    return [{ file: join(folder, name), takenAt }];
  });
  const sizes = await Promise.all(found.map(async ({ file }) => (await stat(file)).size));
  return found
    .map((backup, index) => ({ ...backup, bytes: sizes[index] ?? 0 }))
    .sort((a, b) => b.takenAt - a.takenAt);
}

/** Removes all backups but the newest ones, and returns the removed files. */
export async function removeOlder(folder: string, keep: number): Promise<string[]> {
  const older = (await findBackups(folder)).slice(keep).map(({ file }) => file);
  for (const file of older) await rm(file);
  return older;
}

/** Removes unfinished files of backups that began more than a day ago. */
export async function removeUnfinished(folder: string, now: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^visitor-counter-\w+\.tar\.unfinished$/.test(name));
  for (const name of names) {
    const { mtimeMs } = await stat(join(folder, name));
    if (now - mtimeMs > 86_400_000) await rm(join(folder, name));
  }
}
