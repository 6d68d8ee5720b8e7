import { copyFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@visitor-counter/service/files';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { DoorConfig } from '../config/agent-config.ts';
import { fileName, isInUse } from '../journal/disk.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import type { JournalOptions } from '../journal/journal-settings.ts';

/** The journal's folder on the card of a unit with the package. */
const onCard = 'var/lib/counter-agent/journal';

/**
 * Opens a copy of the journal in a folder, which another unit of the same door has written: the card may be read-only. The
 * copy stays next to this unit's journal, with what is delivered of it. Throws ConfigurationError if there is none, if a
 * running agent writes it, and if it is of another serial.
 */
export async function openOldJournal(
  folder: string,
  { serial, journal: own }: DoorConfig,
  options: JournalOptions,
): Promise<Journal> {
  const wrong = (expected: string) => new ConfigurationError('<journal>', folder, expected);
  const names = await readdir(folder).catch((error: Error) => {
    throw wrong(`a folder that can be read (${error.message})`);
  });
  if (await areSame(folder, own)) throw wrong('the journal of another unit; this one delivers its own');
  if (!names.includes(fileName))
    throw wrong(`the folder of a journal, with a file ${fileName}; on a card ${onCard}`);
  if (isInUse(folder)) throw wrong('a journal that no running agent has open');
  const copies = `${own}.delivered`;
  const fresh = join(copies, 'copy');
  await rm(fresh, { recursive: true, force: true });
  await makeFolder(fresh);
  for (const name of [fileName, `${fileName}-wal`])
    if (names.includes(name)) await copyFile(join(folder, name), join(fresh, name));
  const copied = await openJournal(fresh, options);
  const [oldest] = copied.journals;
  const other = copied.journals.find((journal) => journal.serial !== undefined && journal.serial !== serial);
  await copied.close();
  if (other) throw wrong(`a journal of ${serial}; this one is of ${other.serial}`);
  if (!oldest) throw wrong('a journal that can be read');
  const kept = join(copies, oldest.name);
  /* An earlier attempt has delivered some of it. */
  if ((await stat(kept).catch(() => undefined)) === undefined) await rename(fresh, kept);
  await rm(fresh, { recursive: true, force: true });
  return openJournal(kept, { ...options, serial });
}

async function areSame(folder: string, other: string): Promise<boolean> {
  const [one, two] = await Promise.all([folder, other].map((path) => stat(path).catch(() => undefined)));
  return one !== undefined && one.dev === two?.dev && one.ino === two.ino;
}
