import { setTimeout as delay } from 'node:timers/promises';
import type { FileSystem, OpenFile } from '@visitor-counter/agent/journal/file-system';
import { nodeFileSystem } from '@visitor-counter/agent/journal/file-system';

/** The current faults of a disk. */
export interface Disk {
  /** How long it takes to write a crossing to the card (ms). */
  pace: number;
  /** `for new data`: no file can grow, but what is there can be overwritten. */
  full: 'no' | 'for new data' | 'for all writes';
  /** Appending blocks, as on a busy disk. */
  held: boolean;
  /** The n-th operation of this kind from now on fails. */
  failing: { operation: 'write' | 'sync'; in: number } | undefined;
  /** Nothing can be read before this moment (ms of `performance.now()`). */
  unreadableUntil: number;
}

/** The real file system on a disk that is slow, fills up, and fails. */
export function failingFiles(disk: Disk): FileSystem {
  return {
    ...nodeFileSystem,
    open: async (path) => failingFile(await nodeFileSystem.open(path), path, disk),
    create: async (path) => failingFile(await nodeFileSystem.create(path), path, disk),
    read: async (path) => {
      failWhileUnreadable(disk);
      return nodeFileSystem.read(path);
    },
  };
}

/**
 * A failed write leaves half of its data, like a full disk. A failed fdatasync leaves zeros, because the kernel has
 * dropped the pages.
 */
function failingFile(file: OpenFile, path: string, disk: Disk): OpenFile {
  let written = { position: 0, length: 0 };
  return {
    ...file,
    read: async (buffer, position) => {
      failWhileUnreadable(disk);
      return file.read(buffer, position);
    },
    write: async (buffer, position) => {
      /* A file's header is written while the agent starts, which must not block. */
      while (disk.held && position > 0 && path.endsWith('.journal')) await delay(heldFor);
      const isFull =
        disk.full === 'for all writes' ||
        (disk.full === 'for new data' && position + buffer.length > (await file.size()));
      const broken = isFull ? 'ENOSPC' : due(disk, 'write') ? 'EIO' : undefined;
      written = { position, length: buffer.length };
      if (broken === undefined) return file.write(buffer, position);
      await file.write(buffer.subarray(0, buffer.length >> 1), position);
      throw diskError(broken);
    },
    sync: async () => {
      if (path.endsWith('.journal')) await delay(disk.pace);
      if (!due(disk, 'sync')) return file.sync();
      await file.write(Buffer.alloc(written.length), written.position);
      throw diskError('EIO');
    },
  };
}

/** Polling interval of a blocked write (ms). */
const heldFor = 20;

function failWhileUnreadable({ unreadableUntil }: Disk): void {
  if (performance.now() < unreadableUntil) throw diskError('EIO');
}

function due(disk: Disk, operation: 'write' | 'sync'): boolean {
  if (disk.failing?.operation !== operation) return false;
  disk.failing.in -= 1;
  if (disk.failing.in > 0) return false;
  disk.failing = undefined;
  process.send?.({ failed: operation });
  return true;
}

function diskError(code: 'EIO' | 'ENOSPC'): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}
