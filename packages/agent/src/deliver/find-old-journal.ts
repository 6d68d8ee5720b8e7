import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { parse } from 'yaml';
import type { DoorConfig } from '../config/agent-config.ts';
import { readSerial } from '../journal/acknowledged-file.ts';
import { findJournal } from '../journal/find-journal.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { readOnlyFiles } from '../journal/read-only-files.ts';
import { defaultRetries, Retries } from '../journal/retries.ts';
import { firstOfSegment } from '../journal/segment.ts';

/** The journal's folder on the card of a unit with the package. */
const onCard = 'var/lib/counter-agent/journal';

/**
 * The id of the journal in a folder, which another unit of the same door has written. Throws ConfigurationError where
 * there is none, where it is the journal that this unit writes, and where it is of another serial, by its own
 * position or a configuration file above it; older versions have stored no serial in a journal. Rejects with
 * JournalUnreadable.
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
  const retries = new Retries(defaultRetries);
  const serial = (await readSerial(files, folder, retries)) ?? (await serialAbove(folder));
  if (serial !== undefined && serial !== door.serial)
    throw wrong(`a journal of ${door.serial}; this one is of ${serial}`);
  const { journal } = await findJournal(files, folder, undefined, retries);
  if (journal === undefined) throw wrong('a journal of which at least one file can be read');
  return journal;
}

async function areSame(folder: string, other: string): Promise<boolean> {
  const [one, two] = await Promise.all([folder, other].map((path) => stat(path).catch(() => undefined)));
  return one !== undefined && one.dev === two?.dev && one.ino === two.ino;
}

/** The serial of the door that has written a journal, by the nearest configuration file above it; undefined without one. */
async function serialAbove(folder: string): Promise<string | undefined> {
  for (let above = resolve(folder), last = ''; above !== last; last = above, above = dirname(above)) {
    for (const file of ['unit.yaml', 'etc/visitor-counter/unit.yaml']) {
      const text = await readFile(join(above, file), 'utf8').catch(() => undefined);
      if (text !== undefined) return serialIn(text, basename(resolve(folder)));
    }
  }
  return undefined;
}

/** Of several doors, the one whose journal has this name. */
function serialIn(text: string, name: string): string | undefined {
  try {
    const unit: unknown = parse(text);
    const doors = doorsOf(unit);
    const door =
      doors.length > 1 ? doors.find((one) => basename(one.journal ?? one.serial) === name) : doors[0];
    return door?.serial;
  } catch {
    return undefined;
  }
}

function doorsOf(unit: unknown): { readonly serial: string; readonly journal: string | undefined }[] {
  if (typeof unit !== 'object' || unit === null) return [];
  const doors: readonly unknown[] = 'doors' in unit && Array.isArray(unit.doors) ? unit.doors : [unit];
  return doors.flatMap((door) => {
    if (typeof door !== 'object' || door === null || !('serial' in door)) return [];
    const journal = 'journal' in door ? String(door.journal) : undefined;
    return [{ serial: String(door.serial), journal }];
  });
}
