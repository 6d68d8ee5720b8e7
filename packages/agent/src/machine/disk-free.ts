import { statfs } from 'node:fs/promises';

/** Bytes that this user may still write where the folder is. */
export async function diskFree(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Bytes of the whole disk, or partition, where the folder is. */
export async function diskSize(folder: string): Promise<number> {
  const { blocks, bsize } = await statfs(folder);
  return blocks * bsize;
}
