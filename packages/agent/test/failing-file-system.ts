import { codeOf } from '@visitor-counter/service/errors';
import type { FileSystem, OpenFile } from '../src/journal/file-system.ts';
import { type MemoryFiles, memoryFileSystem } from './memory-file-system.ts';

/**
 * Makes one operation fail: throws, or lets it succeed. `write` returns how many of a write's bytes are
 * written.
 */
export interface Fault {
  /** Called before each operation that can change the disk; throws to make it fail. */
  readonly before: (operation: string, path: string) => void;
  /** How much of a failing write reaches the file, 0 to 1. */
  readonly torn: number;
}

/**
 * A disk in memory whose contents are lost by a power cut unless they were synced. As Linux does, a failed sync marks the
 * written pages as clean: a later sync succeeds without them. Names that were created, renamed or removed may be durable
 * immediately, or only after the directory was synced: a journal must not rely on either.
 */
interface FailingDisk {
  readonly files: FileSystem;
  /** The contents after a power cut; of the unsynced bytes, the part `kept` (0 to 1) survives. */
  afterCut(kept: number): MemoryFiles;
  /** The contents after a power cut that also loses all unsynced bytes and names. */
  afterCutOfNames(): MemoryFiles;
  /** The contents after a power cut that loses all unsynced bytes and removals: those files are there again. */
  afterCutOfRemovals(): MemoryFiles;
}

/** A file, whatever its name is. */
interface DiskFile {
  synced: Buffer;
  /** The numbers of pages that were written and not synced. */
  dirty: Set<number>;
}

/** As the page cache of Linux (bytes). */
const pageSize = 4_096;

export function failingDisk(contents: MemoryFiles, fault: Fault): FailingDisk {
  const memory = memoryFileSystem(contents);
  const named = new Map<string, DiskFile>();
  for (const [path, bytes] of contents) named.set(path, { synced: Buffer.from(bytes), dirty: new Set() });
  let durableNames = new Map(named);
  const removed = new Map<string, DiskFile>();
  const markDirty = ({ dirty }: DiskFile, from: number, until: number) => {
    for (let page = Math.floor(from / pageSize); page * pageSize < until; page += 1) dirty.add(page);
  };
  const before = async <Result>(operation: string, path: string, work: () => Promise<Result>) => {
    fault.before(operation, path);
    return work();
  };
  const failingFile = (path: string, file: OpenFile, onDisk: DiskFile): OpenFile => ({
    ...file,
    write: async (buffer, position) => {
      try {
        fault.before('write', path);
      } catch (error) {
        const written = buffer.subarray(0, Math.floor(buffer.length * fault.torn));
        await file.write(written, position);
        markDirty(onDisk, position, position + written.length);
        throw error;
      }
      await file.write(buffer, position);
      markDirty(onDisk, position, position + buffer.length);
    },
    truncate: (size) =>
      before('truncate', path, async () => {
        await file.truncate(size);
        markDirty(onDisk, Math.max(0, size - 1), size);
      }),
    sync: async () => {
      try {
        fault.before('sync', path);
      } catch (error) {
        if (codeOf(error) !== undefined) onDisk.dirty.clear();
        throw error;
      }
      const now = contents.get(path) ?? Buffer.alloc(0);
      const stored = Buffer.alloc(now.length);
      onDisk.synced.copy(stored);
      for (const page of onDisk.dirty)
        now.copy(stored, page * pageSize, page * pageSize, (page + 1) * pageSize);
      onDisk.dirty.clear();
      onDisk.synced = stored;
    },
  });
  const begun = (): DiskFile => ({ synced: Buffer.alloc(0), dirty: new Set() });
  const files: FileSystem = {
    ...memory,
    open: (path) =>
      before('open', path, async () =>
        failingFile(path, await memory.open(path), named.get(path) ?? begun()),
      ),
    create: (path) =>
      before('create', path, async () => {
        const onDisk = begun();
        named.set(path, onDisk);
        return failingFile(path, await memory.create(path), onDisk);
      }),
    rename: (from, to) =>
      before('rename', to, async () => {
        await memory.rename(from, to);
        named.set(to, named.get(from) ?? begun());
        named.delete(from);
      }),
    remove: (path) =>
      before('remove', path, async () => {
        await memory.remove(path);
        const onDisk = named.get(path);
        if (onDisk) removed.set(path, onDisk);
        named.delete(path);
      }),
    syncDirectory: (path) =>
      before('syncDirectory', path, async () => {
        await memory.syncDirectory(path);
        durableNames = new Map(named);
        removed.clear();
      }),
  };
  return {
    files,
    afterCut: (kept) => afterCut(contents, named, kept),
    afterCutOfNames: () => syncedOf(durableNames),
    afterCutOfRemovals: () => new Map([...syncedOf(removed), ...syncedOf(named)]),
  };
}

function syncedOf(files: ReadonlyMap<string, DiskFile>): MemoryFiles {
  return new Map([...files].map(([path, { synced }]) => [path, Buffer.from(synced)]));
}

function afterCut(contents: MemoryFiles, named: ReadonlyMap<string, DiskFile>, kept: number): MemoryFiles {
  return new Map(
    [...contents].map(([path, now]) => {
      const before = named.get(path)?.synced ?? Buffer.alloc(0);
      const length = before.length + Math.floor((now.length - before.length) * kept);
      const bytes = Buffer.alloc(Math.max(0, length));
      now.copy(bytes);
      if (kept === 0) before.copy(bytes);
      return [path, bytes];
    }),
  );
}
