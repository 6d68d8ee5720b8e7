import { join } from 'node:path';
import type { Acknowledged } from './acknowledged-file.ts';
import type { FileSystem } from './file-system.ts';
import { asUnreadable, JournalUnreadable } from './journal-errors.ts';
import type { Retries } from './retries.ts';
import { type FoundFile, type FoundHeader, readHeader } from './scan-segment.ts';
import { firstOfSegment } from './segment.ts';

/** The segment files of a folder, in order, and the journal id in their headers. */
export interface FoundJournal {
  readonly found: readonly FoundFile[];
  readonly journal: string | undefined;
}

/**
 * Finds the segments of a folder, and removes incomplete files. The id is that of the last readable header; undefined if
 * there is none, then the id in `stored`, the acknowledged position, is valid. Rejects with JournalUnreadable if the disk
 * cannot read the folder, or none of the places that contain the id: beginning another journal next to crossings that may
 * become readable later would lose them.
 */
export async function findJournal(
  files: FileSystem,
  directory: string,
  stored: Acknowledged | undefined,
  retries: Retries,
): Promise<FoundJournal> {
  const names = await retries
    .whileFailing(() => files.list(directory))
    .catch((error: unknown) => {
      throw asUnreadable(directory, 'its folder', error);
    });
  for (const name of names) if (name.endsWith('.new')) await files.remove(join(directory, name));
  const found = names.toSorted().flatMap((name): FoundFile[] => {
    const first = firstOfSegment(name);
    return first === undefined ? [] : [{ path: join(directory, name), name, first }];
  });
  const headers = await retries.until(
    () => readHeaders(files, found),
    (read) => {
      if (read.length === 0 || idOf(read) !== undefined) return undefined;
      return unreadableOf(read) ? 'failing' : 'wrong';
    },
  );
  const journal = idOf(headers);
  const unreadable = unreadableOf(headers);
  if (journal === undefined && unreadable && !stored)
    throw new JournalUnreadable(directory, 'no readable file contains its id', unreadable.unreadable);
  return { found, journal };
}

async function readHeaders(files: FileSystem, found: readonly FoundFile[]): Promise<FoundHeader[]> {
  const headers: FoundHeader[] = [];
  for (const { path } of found) headers.push(await readHeader(files, path));
  return headers;
}

function idOf(headers: readonly FoundHeader[]): string | undefined {
  return headers.map((read) => ('header' in read ? read.header?.journal : undefined)).findLast((id) => id);
}

function unreadableOf(headers: readonly FoundHeader[]) {
  return headers.find((read) => 'unreadable' in read);
}
