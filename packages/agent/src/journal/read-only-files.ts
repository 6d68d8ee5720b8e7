import type { FileSystem } from './file-system.ts';

/** The same files, but operations that would change them have no effect, and a missing folder is empty. */
export function readOnlyFiles(files: FileSystem): FileSystem {
  const nothing = async () => {};
  return {
    ...files,
    list: (directory) =>
      files.list(directory).catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
        throw error;
      }),
    rename: nothing,
    remove: nothing,
    syncDirectory: nothing,
    open: async (path) => ({ ...(await files.open(path)), truncate: nothing, sync: nothing }),
  };
}
