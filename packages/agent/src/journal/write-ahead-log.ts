import { closeSync, fdatasyncSync, fstatSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';

/** Bytes of a page of a database. Small pages: fewer bytes reach the card for each crossing. */
export const pageSize = 512;
/** The log is emptied when it has so many pages. */
export const logPages = 500;
/** Bytes of the header of the log, and of a page in it. Offset 4 of a page is not 0 at the end of a transaction. */
const header = 32;
const frame = 24 + pageSize;

/**
 * The write-ahead log that SQLite writes, made durable by fdatasync, and of its final size from the start. SQLite itself
 * would call fsync, since Node builds it without fdatasync, and its log would grow with each transaction: then ext4 writes
 * 20 KB for each crossing instead of 6.
 */
export class WriteAheadLog {
  readonly #file: number;
  readonly #beforeSync: () => void;
  #isInDoubt = false;

  /** `beforeSync` is called before each fdatasync. */
  constructor(path: string, beforeSync: () => void) {
    this.#file = openSync(path, 'r+');
    this.#beforeSync = beforeSync;
    const { size } = fstatSync(this.#file);
    const missing = Math.max(0, header + logPages * frame - size);
    try {
      writeSync(this.#file, Buffer.alloc(missing), 0, missing, size);
    } catch {
      /* A full disk may have room for crossings nevertheless. */
    }
    fdatasyncSync(this.#file);
  }

  /** Makes durable what SQLite has written. Throws the error of the disk: nobody knows what is durable then. */
  sync(): void {
    const mustRewrite = this.#isInDoubt;
    this.#isInDoubt = true;
    this.#beforeSync();
    if (mustRewrite) this.#rewrite();
    fdatasyncSync(this.#file);
    this.#isInDoubt = false;
  }

  /** Makes durable what a `sync` that has failed has left. */
  settle(): void {
    if (this.#isInDoubt) this.sync();
  }

  /** Linux takes a page for written that it could not write, and would not try again. */
  #rewrite(): void {
    const content = Buffer.alloc(fstatSync(this.#file).size);
    readSync(this.#file, content, 0, content.length, 0);
    writeSync(this.#file, content, 0, content.length, 0);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/**
 * Whether SQLite has taken a damaged place of a log for its end, after so many pages. A power cut can tear the last
 * transaction, which has not been reported to anybody; all earlier ones were durable.
 */
export function hasLostTransactions(path: string, pages: number): boolean {
  const log = readFileSync(path);
  if (pages === 0) return !isBegunAgain(log);
  const salt = log.toString('hex', 16, 24);
  let ended = 0;
  for (let at = header + pages * frame; at + frame <= log.length; at += frame)
    if (log.toString('hex', at + 8, at + 16) === salt && log.readUInt32BE(at + 4) > 0) ended += 1;
  return ended > 1;
}

/**
 * Whether the process ended when SQLite had just begun the log again, and written no page to it: the first salt of its header
 * is one more than that of its pages, and the second another random number. All pages are then durable in the database.
 */
function isBegunAgain(log: Buffer): boolean {
  if (log.length < header + frame) return false;
  const begun = (log.readUInt32BE(header + 8) + 1) % 2 ** 32;
  return log.readUInt32BE(16) === begun && log.readUInt32BE(20) !== log.readUInt32BE(header + 12);
}
