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
