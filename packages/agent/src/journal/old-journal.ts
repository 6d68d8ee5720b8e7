import { chown, copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { DoorConfig } from '../config/agent-config.ts';
import { fileName, isInUse } from './disk.ts';
import { openJournal } from './journal.ts';

/** The journal's folder on the card of a unit with the package. */
const onCard = 'var/lib/counter-agent/journal';

/**
 * Copies the journal in a folder, which another unit of the same door has written, and repairs the copy: the card may be
 * read-only. The agent can read the folder of the copy, which is replaced. Throws ConfigurationError if there is no journal, if a
 * running agent writes it, and if it is of another serial.
 */
export async function copyOldJournal(
  folder: string,
  { serial, journal: own }: Pick<DoorConfig, 'serial' | 'journal'>,
  copy: string,
): Promise<void> {
  const wrong = (expected: string) => new ConfigurationError('<journal>', folder, expected);
  const names = await readdir(folder).catch((error: Error) => {
    throw wrong(`a folder that can be read (${error.message})`);
  });
  if (await areSame(folder, own)) throw wrong('the journal of another unit; this one delivers its own');
  if (!names.includes(fileName))
    throw wrong(`the folder of a journal, with a file ${fileName}; on a card ${onCard}`);
  if (isInUse(folder)) throw wrong('a journal that no running agent has open');
  await rm(copy, { recursive: true, force: true });
  await mkdir(copy, { recursive: true });
  for (const name of [fileName, `${fileName}-wal`])
    if (names.includes(name))
      await copyFile(join(folder, name), join(copy, name)).catch((error: Error) => {
        throw wrong(`a journal that can be copied (${error.message})`);
      });
  const copied = await openJournal(copy, { keepFor: Number.MAX_SAFE_INTEGER });
  const other = copied.journals.find((journal) => journal.serial !== undefined && journal.serial !== serial);
  const isEmpty = copied.journals.every(({ recorded }) => recorded === 0);
  await copied.close();
  if (isEmpty) throw wrong('a journal with crossings that can be read');
  if (other) throw wrong(`a journal of ${serial}; this one is of ${other.serial}`);
  await giveToOwnerOf(own, copy);
}

/** The user of the agent, which has not made this copy. */
async function giveToOwnerOf(own: string, copy: string): Promise<void> {
  const owner = await stat(own).catch(() => undefined);
  if (!owner || process.getuid?.() !== 0) return;
  const names = await readdir(copy);
  for (const path of [copy, ...names.map((name) => join(copy, name))])
    await chown(path, owner.uid, owner.gid);
}

async function areSame(folder: string, other: string): Promise<boolean> {
  const [one, two] = await Promise.all([folder, other].map((path) => stat(path).catch(() => undefined)));
  return one !== undefined && one.dev === two?.dev && one.ino === two.ino;
}
