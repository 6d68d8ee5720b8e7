import { readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { firstLineOf } from '@visitor-counter/service/given-secret';
import type { DoorConfig } from '../config/agent-config.ts';
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
export async function wipe(options: WipeOptions, process: NodeJS.Process): Promise<number> {
  const { stdout, stderr } = process;
  /* The unit may not have enrolled, or a power cut may have interrupted an earlier wipe. */
  const { doors } = await loadConfig(options.config, process.env, 'before enrolment');
  const refusal = await refusalOf(doors, options, process);
  if (refusal !== undefined) {
    stderr.write(`${refusal}\nNothing is removed.\n`);
    return 1;
  }
  for (const { journal } of doors) await removeJournal(journal);
  const folder = dirname(resolve(options.config));
  const identity = identityFiles.map((name) => join(folder, name));
  for (const path of [...identity, `${options.config}.enrolment`, options.config]) {
    /* An unfinished file that a power cut has left: it may contain the secret. */
    await rm(`${path}.new`, { force: true });
    await rm(path, { force: true });
  }
  stdout.write('The identity and the journals of this unit are removed.\n');
  for (const { serial } of doors) stdout.write(`The server still knows it: admin device retire ${serial}\n`);
  return 0;
}

/** Why nothing may be removed. */
async function refusalOf(
  doors: readonly DoorConfig[],
  { config, discardPending, yes }: WipeOptions,
  process: NodeJS.Process,
): Promise<string | undefined> {
  if (doors.some(({ journal }) => isInUse(journal))) {
    const service = await serviceOf(config, process.env);
    return `The agent is running. Stop it first${service ? `: sudo systemctl stop ${service}` : ''}.`;
  }
  for (const { serial, journal } of doors) {
    const count = await pendingOf(journal);
    if (count === 0) continue;
    const what =
      count === undefined
        ? 'its journal cannot be read'
        : `${count} crossings are not delivered to the server`;
    if (!discardPending) return `${serial}: ${what}. --discard-pending removes them anyway.`;
    process.stdout.write(`${serial}: ${what}, and will be lost.\n`);
  }
  const serials = doors.map(({ serial }) => serial).join(', ');
  process.stdout.write(`This removes ${config} with the secret, and all journals, of ${serials}.\n`);
  return yes || (await isConfirmed(process)) ? undefined : 'Not confirmed.';
}

/** How many crossings of a journal are not acknowledged; undefined if it cannot be read. Changes nothing. */
async function pendingOf(journal: string): Promise<number | undefined> {
  const names = await readdir(journal).catch((): string[] => []);
  if (!names.includes(fileName)) return 0;
  const disk = new Disk(journal, defaultSettings);
  disk.openReadOnly();
  const pending = disk.store?.pending;
  disk.close();
  return pending;
}

async function removeJournal(journal: string): Promise<void> {
  const names = await readdir(journal).catch(() => []);
  for (const name of names) if (journalFile.test(name)) await rm(join(journal, name), { force: true });
  await rmdir(journal).catch(() => {});
  await rm(`${journal}.delivered`, { recursive: true, force: true });
}

async function isConfirmed({ stdin, stdout }: NodeJS.Process): Promise<boolean> {
  stdout.write('Type yes to continue: ');
  return (await firstLineOf(stdin)) === 'yes';
}
