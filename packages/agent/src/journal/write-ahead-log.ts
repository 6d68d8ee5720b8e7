import { closeSync, fdatasyncSync, fstatSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';

/** Bytes of a page of a database. Small pages: fewer bytes reach the card for each crossing. */
export const pageSize = 512;
/** The log is emptied when it has so many pages. */
export const logPages = 500;
/** Bytes of the header of the log, and of a page in it. Offset 4 of a page is not 0 at the end of a transaction. */
const header = 32;
const frame = 24 + pageSize;
const finalSize = header + logPages * frame;

/**
 * The write-ahead log that SQLite writes, made durable by fdatasync, and filled to its final size from the start. SQLite
 * itself would call fsync, since Node builds it without fdatasync, and its log would grow with each transaction: then ext4
 * writes 20 KB for each crossing instead of 6.
 */
export class WriteAheadLog {
  readonly #file: number;
  readonly #beforeSync: () => void;
  #isInDoubt = false;

  /** `beforeSync` is called before each fdatasync. */
  constructor(path: string, beforeSync: () => void) {
    this.#file = openSync(path, 'r+');
    this.#beforeSync = beforeSync;
  }

  /** Gives the log its final size, unless the disk has no room. Returns whether it has it. */
  fill(): boolean {
    const { size } = fstatSync(this.#file);
    const missing = Math.max(0, finalSize - size);
    try {
      writeSync(this.#file, Buffer.alloc(missing), 0, missing, size);
    } catch {
      /* A full disk may have room for crossings nevertheless. */
    }
    fdatasyncSync(this.#file);
    return fstatSync(this.#file).size >= finalSize;
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
  if (log.length < finalSize || (pages === 0 && !isBegunAgain(log))) return true;
  const salts = log.readBigUInt64BE(headerSalts);
  let ended = 0;
  for (let at = header + pages * frame; at + frame <= log.length; at += frame)
    if (log.readBigUInt64BE(at + frameSalts) === salts && log.readUInt32BE(at + 4) > 0) ended += 1;
  return ended > 1;
}

/** Where the header of the log, and a page in it, has its two salts. */
const headerSalts = 16;
const frameSalts = 8;

/**
 * Whether a log without a whole transaction is one that SQLite had begun again, so that all pages of the log before are
 * durable in the database. Its first page is a torn one, or still of the log before, whose first salt was less by one.
 */
function isBegunAgain(log: Buffer): boolean {
  const [salts, ofPage] = [log.readBigUInt64BE(headerSalts), log.readBigUInt64BE(header + frameSalts)];
  if (salts === ofPage) return salts > 0n;
  const [first, second] = [log.readUInt32BE(headerSalts), log.readUInt32BE(headerSalts + 4)];
  const [before, other] = [log.readUInt32BE(header + frameSalts), log.readUInt32BE(header + frameSalts + 4)];
  return first === (before + 1) % 2 ** 32 && second !== other;
}
