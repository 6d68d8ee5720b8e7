/**
 * The file operations that the journal needs, and no others, so that every one of them can be made to fail.
 * All reject with the system's error.
 */
export interface FileSystem {
  /** Keeps a directory for this process; resolves to what lets go of it. Rejects with JournalInUse. */
  lock(directory: string): Promise<() => Promise<void>>;
  makeDirectory(path: string): Promise<void>;
  /** Rejects where nothing can be written to a directory, e.g. with EROFS where its file system is read-only. */
  assertWritable(directory: string): Promise<void>;
  /** How many bytes this user can still write to the disk that has a directory. */
  freeBytes(directory: string): Promise<number>;
  /** The names in a directory. */
  list(directory: string): Promise<string[]>;
  /** Opens an existing file for reading and, where the file system allows that, for writing. */
  open(path: string): Promise<OpenFile>;
  /** Opens a new or emptied file for writing. */
  create(path: string): Promise<OpenFile>;
  /** The whole of a small file; undefined when there is none. */
  read(path: string): Promise<Buffer | undefined>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Makes created, renamed and removed names durable. */
  syncDirectory(path: string): Promise<void>;
}

export interface OpenFile {
  size(): Promise<number>;
  /** Reads into `buffer` from `position` on; fewer bytes than asked for only at the end of the file. */
  read(buffer: Buffer, position: number): Promise<number>;
  /** Writes all of `buffer` at `position`. */
  write(buffer: Buffer, position: number): Promise<void>;
  truncate(size: number): Promise<void>;
  /** Makes what was written, and the file's length, durable (fdatasync). */
  sync(): Promise<void>;
  close(): Promise<void>;
}
