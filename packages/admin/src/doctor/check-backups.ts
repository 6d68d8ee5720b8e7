import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ageText } from '../command/text.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { Installation } from './installation.ts';

const hour = 60 * 60_000;

/** The folder of the backups, and the time of the latest one in the database (epoch ms), as far as they are known. */
interface KnownBackups {
  readonly folder: string | undefined;
  readonly recordedAt: number | undefined;
}

/**
 * Judges the backups in a folder at `now` (epoch ms), or, where the folder is unknown, the latest one that the database
 * records. Backups are daily; a day can have 25 hours, and a backup of a large database takes some.
 */
export async function checkBackups(
  { folder, recordedAt }: KnownBackups,
  now: number,
  { backup }: Installation,
): Promise<Finding> {
  const advice = `Make one: ${backup}`;
  const latest = folder === undefined ? recordedAt : await findLatest(folder).catch((error: Error) => error);
  if (latest instanceof Error)
    return warning('backups', `${folder} cannot be read: ${latest.message}`, advice);
  if (latest === undefined)
    return warning('backups', folder ? `there is none in ${folder}` : 'it is unknown where they are', advice);
  const age = now - latest;
  const finding = `the latest${folder ? ` in ${folder}` : ''} is ${ageText(age)} old`;
  if (age < 30 * hour) return ok('backups', finding);
  return (age < 7 * 24 * hour ? warning : problem)('backups', finding, advice);
}

/** When the latest backup in a folder was complete (epoch ms); undefined if there is none. */
async function findLatest(folder: string): Promise<number | undefined> {
  const names = (await readdir(folder)).filter(
    (name) => !/^\.|\.(part|partial|tmp|unfinished|sha256)$/.test(name),
  );
  const files = await Promise.all(names.map((name) => stat(join(folder, name))));
  const complete = files.filter((file) => file.isFile() && file.size > 0);
  return complete.length > 0 ? Math.max(...complete.map(({ mtimeMs }) => mtimeMs)) : undefined;
}
