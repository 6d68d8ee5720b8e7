import { basename, join } from 'node:path';
import type { FileSystem } from '../journal/file-system.ts';
import { firstOfSegment } from '../journal/segment.ts';

/**
 * The files of a journal's folder, which is never changed: it may be a card that is read-only. All files
 * other than segments, such as the acknowledged position, are written to the folder `changes` instead, and read from there
 * first.
 */
export function overlaidFiles(files: FileSystem, changes: string): FileSystem {
  const nothing = async () => {};
  const isSegment = (path: string) => firstOfSegment(basename(path)) !== undefined;
  const changed = (path: string) => join(changes, basename(path));
  return {
    ...files,
    makeDirectory: () => files.makeDirectory(changes),
    assertWritable: () => files.assertWritable(changes),
    freeBytes: () => files.freeBytes(changes),
    syncDirectory: () => files.syncDirectory(changes),
    open: async (path) => {
      if (!isSegment(path)) return files.open(changed(path));
      return { ...(await files.open(path)), truncate: nothing, sync: nothing };
    },
    create: (path) => files.create(changed(path)),
    read: async (path) => (await files.read(changed(path))) ?? (await files.read(path)),
    rename: async (from, to) => {
      if (!isSegment(from)) await files.rename(changed(from), changed(to));
    },
    remove: (path) => files.remove(changed(path)),
  };
}
