import { copyOf } from './copy-of.ts';

/** Reads texts of which nearly every one is the same as the one before: that one is not made again. */
export class RepeatedText {
  #bytes: Buffer = Buffer.alloc(0);
  #text = '';

  /** The UTF-8 from `start` up to `end`. */
  read(bytes: Buffer, start: number, end: number): string {
    if (!this.#isRepeated(bytes, start, end)) {
      this.#bytes = copyOf(bytes, start, end);
      this.#text = this.#bytes.toString('utf8');
    }
    return this.#text;
  }

  /* Byte by byte: for a few tens of them a call of what Node compares with takes longer. */
  #isRepeated(bytes: Buffer, start: number, end: number): boolean {
    const last = this.#bytes;
    if (last.length !== end - start) return false;
    for (let index = 0; index < last.length; index += 1)
      if (last[index] !== bytes[start + index]) return false;
    return true;
  }
}
