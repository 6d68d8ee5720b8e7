import type { FileSystem, OpenFile } from '../src/journal/file-system.ts';

/** File contents by path. */
export type MemoryFiles = Map<string, Buffer>;

/** The journal's file operations on contents in memory, for tests that try every byte. */
export function memoryFileSystem(files: MemoryFiles): FileSystem {
  return {
    lock: async () => async () => {},
    makeDirectory: async () => {},
    assertWritable: async () => {},
    freeBytes: async () => Number.POSITIVE_INFINITY,
    list: async () => [...files.keys()].map((path) => path.replace('/', '')),
    open: async (path) => openFile(files, path),
    create: async (path) => {
      files.set(path, Buffer.alloc(0));
      return openFile(files, path);
    },
    read: async (path) => files.get(path),
    rename: async (from, to) => {
      files.set(to, contentOf(files, from));
      files.delete(from);
    },
    remove: async (path) => {
      files.delete(path);
    },
    syncDirectory: async () => {},
  };
}

function openFile(files: MemoryFiles, path: string): OpenFile {
  return {
    size: async () => contentOf(files, path).length,
    read: async (buffer, position) => contentOf(files, path).subarray(position).copy(buffer),
    write: async (buffer, position) => {
      const content = resized(
        contentOf(files, path),
        Math.max(contentOf(files, path).length, position + buffer.length),
      );
      buffer.copy(content, position);
      files.set(path, content);
    },
    truncate: async (size) => {
      files.set(path, resized(contentOf(files, path), size));
    },
    sync: async () => {},
    close: async () => {},
  };
}

function contentOf(files: MemoryFiles, path: string): Buffer {
  const content = files.get(path);
  if (!content) throw new Error(`no file ${path}`);
  return content;
}

function resized(content: Buffer, size: number): Buffer {
  const copy = Buffer.alloc(size);
  content.copy(copy);
  return copy;
}
