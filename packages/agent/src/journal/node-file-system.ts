import { constants } from 'node:fs';
import { access, type FileHandle, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { makeFolder } from '@visitor-counter/service/make-folder';
import { diskFree } from '../machine/disk-free.ts';
import type { FileSystem, OpenFile } from './file-system.ts';
import { lockDirectory } from './lock-directory.ts';

/** The journal's file operations on the real file system. */
export const nodeFileSystem: FileSystem = {
  lock: lockDirectory,
  makeDirectory: makeFolder,
  assertWritable: (directory) => access(directory, constants.W_OK),
  freeBytes: diskFree,
  list: (directory) => readdir(directory),
  open: async (path) => openFile(await open(path, 'r+').catch((error) => openToRead(path, error))),
  create: async (path) => openFile(await open(path, 'w')),
  read: async (path) => {
    try {
      return await readFile(path);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  },
  rename: (from, to) => rename(from, to),
  remove: (path) => rm(path, { force: true }),
  syncDirectory: async (path) => {
    const directory = await open(path, 'r');
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  },
};

const unwritable: ReadonlySet<unknown> = new Set(['EROFS', 'EACCES', 'EPERM']);

/** Pending crossings on a disk that cannot be written are still read and delivered. */
async function openToRead(path: string, error: unknown): Promise<FileHandle> {
  if (!(error instanceof Error && 'code' in error && unwritable.has(error.code))) throw error;
  return open(path, 'r').catch(() => {
    throw error;
  });
}

function openFile(handle: FileHandle): OpenFile {
  return {
    size: async () => (await handle.stat()).size,
    read: (buffer, position) => readFully(handle, buffer, position),
    write: (buffer, position) => writeFully(handle, buffer, position),
    truncate: (size) => handle.truncate(size),
    sync: () => handle.datasync(),
    close: () => handle.close(),
  };
}

async function readFully(handle: FileHandle, buffer: Buffer, position: number): Promise<number> {
  let done = 0;
  while (done < buffer.length) {
    const { bytesRead } = await handle.read(buffer, done, buffer.length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}

async function writeFully(handle: FileHandle, buffer: Buffer, position: number): Promise<void> {
  for (let done = 0; done < buffer.length; ) {
    const { bytesWritten } = await handle.write(buffer, done, buffer.length - done, position + done);
    done += bytesWritten;
  }
}
