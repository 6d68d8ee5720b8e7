import { instantIn } from '../sql/instant.ts';

/**
 * Crossings in columns: the i-th has the i-th entry of each, for every i below `length`. A million rows do not need a
 * million objects.
 */
export interface CrossingColumns {
  length: number;
  /** Epoch ms. */
  at: Float64Array;
  /** The id of the journal (1 or more) for an entry, and its negative for an exit. */
  signedJournal: Int32Array;
}

export function emptyColumns(): CrossingColumns {
  return { length: 0, at: new Float64Array(), signedJournal: new Int32Array() };
}

/** Signature, flags, the length of an extension that is empty; and the number of columns. */
const fileHeader = 19 + 2;
/** The length of the value; the dimensions, a flag for nulls, the type of the elements, their number, the first index. */
const arrayHeader = 4 + 20;
const numberOfElements = 4 + 12;

/**
 * Reads one row of two arrays, (timestamptz[], integer[]), in the binary format of COPY
 * (https://www.postgresql.org/docs/current/sql-copy.html) into columns, which grow if necessary. Null arrays are
 * empty.
 */
export function readColumns(bytes: Buffer, columns: CrossingColumns): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isNull = view.getInt32(fileHeader) === -1;
  const length = isNull ? 0 : view.getInt32(fileHeader + numberOfElements);
  if (columns.at.length < length) {
    columns.at = new Float64Array(length);
    columns.signedJournal = new Int32Array(length);
  }
  columns.length = length;
  if (isNull) return;
  const afterInstants = readInstants(view, fileHeader + arrayHeader, columns.at, length);
  readIntegers(view, afterInstants + arrayHeader, columns.signedJournal, length);
}

/* Each element is preceded by its length. */

/** Returns the offset after them. */
function readInstants(view: DataView, start: number, into: Float64Array, length: number): number {
  let offset = start;
  for (let index = 0; index < length; index += 1) {
    into[index] = instantIn(view, offset + 4);
    offset += 12;
  }
  return offset;
}

function readIntegers(view: DataView, start: number, into: Int32Array, length: number): void {
  let offset = start;
  for (let index = 0; index < length; index += 1) {
    into[index] = view.getInt32(offset + 4);
    offset += 8;
  }
}
