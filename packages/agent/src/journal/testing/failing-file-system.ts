import type { FileSystem, OpenFile } from '../file-system.ts';
import { type MemoryFiles, memoryFileSystem } from './memory-file-system.ts';

/** Makes one operation fail: throws, or lets it happen. `write` says how many of a write's bytes got through. */
export interface Fault {
  /** Called before each operation that can change the disk; throws to make it fail. */
  readonly before: (operation: string, path: string) => void;
  /** How much of a failing write reaches the file, 0 to 1. */
  readonly torn: number;
}

/**
 * A disk in memory whose contents are lost by a power cut unless they were synced. Names that were created,
 * renamed or removed are durable at once: a journal must not rely on the contrary.
 */
export interface FailingDisk {
  readonly files: FileSystem;
  /** The contents after a power cut; of what was not synced, `kept` (0 to 1) of the bytes survive. */
  afterCut(kept: number): MemoryFiles;
}

export function failingDisk(contents: MemoryFiles, fault: Fault): FailingDisk {
  const memory = memoryFileSystem(contents);
  const synced = new Map([...contents].map(([path, bytes]) => [path, Buffer.from(bytes)]));
  const before = <Result>(operation: string, path: string, work: () => Promise<Result>): Promise<Result> => {
    fault.before(operation, path);
    return work();
  };
  const failingFile = (path: string, file: OpenFile): OpenFile => ({
    ...file,
    write: async (buffer, position) => {
      try {
        fault.before('write', path);
      } catch (error) {
        await file.write(buffer.subarray(0, Math.floor(buffer.length * fault.torn)), position);
        throw error;
      }
      await file.write(buffer, position);
    },
    truncate: (size) => before('truncate', path, () => file.truncate(size)),
    sync: () =>
      before('sync', path, async () => {
        synced.set(path, Buffer.from(contents.get(path) ?? ''));
      }),
  });
  const files: FileSystem = {
    ...memory,
    open: (path) => before('open', path, async () => failingFile(path, await memory.open(path))),
    create: (path) => before('create', path, async () => failingFile(path, await memory.create(path))),
    rename: (from, to) =>
      before('rename', to, async () => {
        await memory.rename(from, to);
        synced.set(to, synced.get(from) ?? Buffer.alloc(0));
        synced.delete(from);
      }),
    remove: (path) =>
      before('remove', path, async () => {
        await memory.remove(path);
        synced.delete(path);
      }),
    syncDirectory: (path) => before('syncDirectory', path, () => memory.syncDirectory(path)),
  };
  return { files, afterCut: (kept) => afterCut(contents, synced, kept) };
}

function afterCut(contents: MemoryFiles, synced: MemoryFiles, kept: number): MemoryFiles {
  return new Map(
    [...contents].map(([path, now]) => {
      const before = synced.get(path) ?? Buffer.alloc(0);
      const length = before.length + Math.floor((now.length - before.length) * kept);
      const bytes = Buffer.alloc(Math.max(0, length));
      now.copy(bytes);
      if (kept === 0) before.copy(bytes);
      return [path, bytes];
    }),
  );
}
