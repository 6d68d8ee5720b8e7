import { readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { firstLineOf } from '@visitor-counter/service/given-secret';
import { loadConfig } from '../config/load-config.ts';
import { Disk, fileName, isInUse } from '../journal/disk.ts';
import { defaultSettings } from '../journal/journal-settings.ts';
import { serviceOf } from '../machine/service-state.ts';

interface WipeOptions {
  readonly config: string;
  readonly discardPending?: boolean;
  readonly yes?: boolean;
}

/** The files that enrolment and the card add to the folder of the configuration. */
const identityFiles = ['enrol.env', 'ca.pem'];

/** The files of a journal's folder, even damaged and unfinished ones: its own, and the settings and commands of the server. */
const journalFile = /^(journal\.sqlite(\.[a-z]+)?(-wal|-shm|-journal)?|remote\.json(\.new)?)$/;

/**
 * Removes the identity of a unit and all its crossings, so that another owner can use it: journals first, the
 * configuration last, so that a repetition after a cut removes the rest. Exit code 0, or 1 when nothing was
 * removed: an agent runs, crossings are pending, or the user has not confirmed it. Throws ConfigurationError.
 */
export async function wipe(
  { config, discardPending, yes }: WipeOptions,
  { stdin, stdout, stderr, env }: NodeJS.Process,
): Promise<number> {
  const refuse = (reason: string) => {
    stderr.write(`${reason}\nNothing is removed.\n`);
    return 1;
  };
  /* The unit may not have enrolled, or a power cut may have interrupted an earlier wipe. */
  const { doors } = await loadConfig(config, env, 'before enrolment');
  for (const { serial, journal } of doors) {
    if (isInUse(journal)) {
      const service = await serviceOf(config, env);
      return refuse(
        `The agent is running. Stop it first${service ? `: sudo systemctl stop ${service}` : ''}.`,
      );
    }
    const problem = await pendingOf(journal);
    if (problem === undefined) continue;
    if (!discardPending) return refuse(`${serial}: ${problem}. --discard-pending removes them anyway.`);
    stdout.write(`${serial}: ${problem}, and will be lost.\n`);
  }
  const serials = doors.map(({ serial }) => serial).join(', ');
  stdout.write(`This removes ${config} with the secret, and all journals, of ${serials}.\n`);
  if (!yes) stdout.write('Type yes to continue: ');
  if (!yes && (await firstLineOf(stdin)) !== 'yes') return refuse('Not confirmed.');
  for (const { journal } of doors) await removeJournal(journal);
  const folder = dirname(resolve(config));
  for (const path of [...identityFiles.map((name) => join(folder, name)), `${config}.enrolment`, config]) {
    /* An unfinished file that a power cut has left: it may contain the secret. */
    await rm(`${path}.new`, { force: true });
    await rm(path, { force: true });
  }
  stdout.write('The identity and the journals of this unit are removed.\n');
  for (const { serial } of doors) stdout.write(`The server still knows it: admin device retire ${serial}\n`);
  return 0;
}

/** The crossings of a journal that are not acknowledged, in words; undefined if there are none. Changes nothing. */
async function pendingOf(journal: string): Promise<string | undefined> {
  const names = await readdir(journal).catch((): string[] => []);
  if (!names.includes(fileName)) return undefined;
  const disk = new Disk(journal, defaultSettings);
  disk.openReadOnly();
  const pending = disk.store?.pending;
  disk.close();
  if (pending === undefined) return 'its journal cannot be read';
  return pending === 0 ? undefined : `${pending} crossings are not delivered to the server`;
}

async function removeJournal(journal: string): Promise<void> {
  const names = await readdir(journal).catch(() => []);
  for (const name of names) if (journalFile.test(name)) await rm(join(journal, name), { force: true });
  await rmdir(journal).catch(() => {});
  await rm(`${journal}.old`, { recursive: true, force: true });
}
