import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ageText } from '../command/text.ts';
import { type Finding, type Installation, ok, problem, warning } from './finding.ts';

/** The latest backup in a folder. */
interface LatestBackup {
  readonly file: string;
  /** When it was complete (epoch ms). */
  readonly at: number;
}

/** The latest complete file of a folder; undefined if there is none. Throws if the folder cannot be read. */
async function findLatestBackup(folder: string): Promise<LatestBackup | undefined> {
  let latest: LatestBackup | undefined;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isFile() || entry.name.startsWith('.') || isUnfinished(entry.name)) continue;
    const { mtimeMs, size } = await stat(join(folder, entry.name));
    if (size > 0 && mtimeMs > (latest?.at ?? 0)) latest = { file: entry.name, at: mtimeMs };
  }
  return latest;
}

function isUnfinished(name: string): boolean {
  return /\.(part|partial|tmp|unfinished|sha256)$/.test(name);
}

const hour = 60 * 60_000;

/** Backups are daily. A day can have 25 hours, and a backup of a large database takes some (ms). */
const lateAfter = 30 * hour;
const missingAfter = 7 * 24 * hour;

/** The folder of the backups, and the time of the latest one in the database (epoch ms), as far as they are known. */
interface KnownBackups {
  readonly folder: string | undefined;
  readonly recordedAt: number | undefined;
}

/**
 * Judges the backups in a folder at `now` (epoch ms), or, where the folder is unknown, the latest one that the database
 * records.
 */
export async function checkBackups(
  { folder, recordedAt }: KnownBackups,
  now: number,
  installation: Installation,
): Promise<Finding> {
  const make = `Make one: ${installation.backup}`;
  if (folder === undefined && recordedAt !== undefined) return judgeAge('the latest', recordedAt, now, make);
  if (folder === undefined) {
    return warning('backups', 'it is unknown where they are', `Name their folder by --backups. ${make}`);
  }
  const latest = await findLatestBackup(folder).catch((error: Error) => error);
  if (latest instanceof Error) return warning('backups', `${folder} cannot be read: ${latest.message}`, make);
  if (latest === undefined) return warning('backups', `there is none in ${folder}`, make);
  return judgeAge(`the latest, ${join(folder, latest.file)},`, latest.at, now, make);
}

function judgeAge(which: string, at: number, now: number, make: string): Finding {
  const age = now - at;
  const finding = `${which} is ${ageText(age)} old`;
  if (age < lateAfter) return ok('backups', finding);
  return (age < missingAfter ? warning : problem)('backups', finding, make);
}
