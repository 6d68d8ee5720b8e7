import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { DoorConfig } from '../config/agent-config.ts';
import { readAcknowledged } from '../journal/acknowledged-file.ts';
import { type FileSystem, nodeFileSystem, readOnlyFiles } from '../journal/file-system.ts';
import { findJournal } from '../journal/recover-journal.ts';
import { Retries } from '../journal/retries.ts';
import { firstOfSegment } from '../journal/segment-format.ts';

/** The journal's folder on the card of a unit with the package. */
const onCard = 'var/lib/counter-agent/journal';

/**
 * The id of the journal in a folder, which another unit of the same door has written. Throws ConfigurationError if there
 * is none, if this unit writes it, and if it is of another serial. Rejects with JournalUnreadable.
 */
export async function findOldJournal(folder: string, door: DoorConfig): Promise<string> {
  const wrong = (expected: string) => new ConfigurationError('<journal>', folder, expected);
  const names = await readdir(folder).catch((error: Error) => {
    throw wrong(`a folder that can be read (${error.message})`);
  });
  if (await areSame(folder, door.journal))
    throw wrong('the journal of another unit; this one delivers its own');
  if (!names.some((name) => firstOfSegment(name) !== undefined))
    throw wrong(`the folder of a journal, with files such as 0000000000000001.journal; on a card ${onCard}`);
  const files = readOnlyFiles(nodeFileSystem);
  const retries = new Retries();
  const serial = (await readAcknowledged(files, folder, retries))?.serial;
  if (serial !== undefined && serial !== door.serial)
    throw wrong(`a journal of ${door.serial}; this one is of ${serial}`);
  const { journal } = await findJournal({ files, directory: folder, retries }, undefined);
  if (journal === undefined) throw wrong('a journal of which at least one file can be read');
  return journal;
}

async function areSame(folder: string, other: string): Promise<boolean> {
  const [one, two] = await Promise.all([folder, other].map((path) => stat(path).catch(() => undefined)));
  return one !== undefined && one.dev === two?.dev && one.ino === two.ino;
}

/**
 * The files of a journal's folder, which is never changed: it may be a card that is read-only. All files
 * other than segments, such as the acknowledged position, are written to the folder `changes` instead, and read from there
 * first.
 */
export function overlaidFiles(files: FileSystem, changes: string): FileSystem {
  const unchanged = readOnlyFiles(files);
  const isSegment = (path: string) => firstOfSegment(basename(path)) !== undefined;
  const changed = (path: string) => join(changes, basename(path));
  return {
    ...files,
    makeDirectory: () => files.makeDirectory(changes),
    assertWritable: () => files.assertWritable(changes),
    freeBytes: () => files.freeBytes(changes),
    syncDirectory: () => files.syncDirectory(changes),
    open: (path) => (isSegment(path) ? unchanged.open(path) : files.open(changed(path))),
    create: (path) => files.create(changed(path)),
    read: async (path) => (await files.read(changed(path))) ?? (await files.read(path)),
    rename: async (from, to) => {
      if (!isSegment(from)) await files.rename(changed(from), changed(to));
    },
    remove: (path) => files.remove(changed(path)),
  };
}
