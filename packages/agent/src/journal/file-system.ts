import { constants } from 'node:fs';
import { access, type FileHandle, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '@visitor-counter/service/errors';
import { makeFolder } from '@visitor-counter/service/files';
import { diskRoom } from '../machine/machine-state.ts';
import { lockDirectory } from './lock-directory.ts';

/**
 * The file operations of the journal, and no others, so that tests can make every one of them fail.
 * All reject with the system's error.
 */
export interface FileSystem {
  /** Locks a directory for this process; resolves to the function that unlocks it. Rejects with JournalInUse. */
  lock(directory: string): Promise<() => Promise<void>>;
  makeDirectory(path: string): Promise<void>;
  /** Rejects if a directory cannot be written, e.g. with EROFS on a read-only file system. */
  assertWritable(directory: string): Promise<void>;
  /** How many bytes this user can still write to the disk that has a directory. */
  freeBytes(directory: string): Promise<number>;
  /** The names in a directory. */
  list(directory: string): Promise<string[]>;
  /** Opens an existing file for reading and, if the file system allows it, for writing. */
  open(path: string): Promise<OpenFile>;
  /** Opens a new or emptied file for writing. */
  create(path: string): Promise<OpenFile>;
  /** The content of a small file; undefined if there is none. */
  read(path: string): Promise<Buffer | undefined>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Makes created, renamed and removed names durable. */
  syncDirectory(path: string): Promise<void>;
}

export interface OpenFile {
  size(): Promise<number>;
  /** Reads into `buffer` from `position` on; fewer bytes than its length only at the end of the file. */
  read(buffer: Buffer, position: number): Promise<number>;
  /** Writes all of `buffer` at `position`. */
  write(buffer: Buffer, position: number): Promise<void>;
  truncate(size: number): Promise<void>;
  /** Makes the written bytes and the length of the file durable (fdatasync). */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The journal's file operations on the real file system. */
export const nodeFileSystem: FileSystem = {
  lock: lockDirectory,
  makeDirectory: makeFolder,
  assertWritable: (directory) => access(directory, constants.W_OK),
  freeBytes: async (directory) => (await diskRoom(directory)).diskFree,
  list: (directory) => readdir(directory),
  open: async (path) => openFile(await open(path, 'r+').catch((error) => openToRead(path, error))),
  create: async (path) => openFile(await open(path, 'w')),
  read: (path) =>
    readFile(path).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }),
  rename,
  remove: (path) => rm(path, { force: true }),
  syncDirectory: async (path) => {
    await using directory = await open(path, 'r');
    await directory.sync();
  },
};

/** Pending crossings on a disk that cannot be written are still read and delivered. */
async function openToRead(path: string, error: unknown): Promise<FileHandle> {
  if (!['EROFS', 'EACCES', 'EPERM'].includes(String(codeOf(error)))) throw error;
  return open(path, 'r').catch(() => {
    throw error;
  });
}

function openFile(handle: FileHandle): OpenFile {
  return {
    size: async () => (await handle.stat()).size,
    read: async (buffer, position) => {
      let done = 0;
      while (done < buffer.length) {
        const { bytesRead } = await handle.read(buffer, done, buffer.length - done, position + done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      return done;
    },
    write: async (buffer, position) => {
      for (let done = 0; done < buffer.length; ) {
        const { bytesWritten } = await handle.write(buffer, done, buffer.length - done, position + done);
        done += bytesWritten;
      }
    },
    truncate: (size) => handle.truncate(size),
    sync: () => handle.datasync(),
    close: () => handle.close(),
  };
}

const nothing = async () => {};

/** The same files, but operations that would change them have no effect, and a missing folder is empty. */
export function readOnlyFiles(files: FileSystem): FileSystem {
  return {
    ...files,
    list: (directory) =>
      files.list(directory).catch((error: unknown) => {
        if (codeOf(error) === 'ENOENT') return [];
        throw error;
      }),
    rename: nothing,
    remove: nothing,
    syncDirectory: nothing,
    open: async (path) => ({ ...(await files.open(path)), truncate: nothing, sync: nothing }),
  };
}

/** Runs `work` with an open file, and closes it. */
export async function withFile<Result>(
  opening: Promise<OpenFile>,
  work: (file: OpenFile) => Promise<Result>,
): Promise<Result> {
  const file = await opening;
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

/** Writes a small file atomically, durable when this resolves. If it rejects, it leaves nothing on a full disk. */
export async function writeDurably(files: FileSystem, path: string, content: Buffer): Promise<void> {
  const temporary = `${path}.new`;
  try {
    await withFile(files.create(temporary), async (file) => {
      await file.write(content, 0);
      await file.sync();
    });
  } catch (error) {
    await files.remove(temporary).catch(() => {});
    throw error;
  }
  await files.rename(temporary, path);
  await files.syncDirectory(dirname(path));
}

/** Overwrites an existing small file, for which there is room on a full disk, too. A power cut may damage it. */
export async function overwrite(files: FileSystem, path: string, content: Buffer): Promise<void> {
  await withFile(files.open(path), async (file) => {
    await file.write(content, 0);
    await file.truncate(content.length);
    await file.sync();
  });
}
