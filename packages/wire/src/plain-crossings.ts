import type { NumberedCrossing } from './crossings-message.ts';
import { type AcceptedInstants, maxCrossingsPerMessage, maxJournalLength, maxUncertainty } from './limits.ts';

/** A payload of which everything can be stored. */
export interface PlainCrossings {
  readonly journal: string;
  readonly valid: NumberedCrossing[];
  readonly refused: never[];
}

/**
 * Reads a payload that is written as units write it, without spaces, escapes and exponents, and of which everything can
 * be stored. Returns the same as reading it as JSON, in a third of the time; undefined for every other payload, good or
 * bad, which has to be read in full. `accepted`: see `acceptedInstants`.
 */
export function readPlainCrossings(payload: Buffer, accepted: AcceptedInstants): PlainCrossings | undefined {
  const reader = new Reader(payload);
  if (!reader.passes(beforeJournal)) return undefined;
  const journal = reader.journal();
  if (journal === undefined || !reader.passes(beforeFirst)) return undefined;
  const first = reader.wholeNumber();
  if (!(first >= 1) || !reader.passes(beforeEntries)) return undefined;
  const crossing = readEntry(reader, first, accepted);
  if (crossing === undefined) return undefined;
  /* Nearly every message has one: an array that begins empty gets room for seventeen with its first. */
  const valid = [crossing];
  while (reader.passesByte(comma)) {
    const next = readEntry(reader, first + valid.length, accepted);
    if (next === undefined) return undefined;
    valid.push(next);
  }
  if (valid.length > maxCrossingsPerMessage || !reader.passes(behindEntries) || !reader.isAtEnd)
    return undefined;
  return { journal, valid, refused: [] };
}

function readEntry(
  reader: Reader,
  sequence: number,
  { earliest, latest }: AcceptedInstants,
): NumberedCrossing | undefined {
  if (!reader.passesByte(openBracket)) return undefined;
  const at = reader.wholeNumber();
  if (!(at >= earliest && at <= latest) || !reader.passesByte(comma)) return undefined;
  const direction = reader.passesByte(minus) ? -1 : 1;
  if (!reader.passesByte(one)) return undefined;
  if (reader.passesByte(closeBracket)) return { sequence, at, direction };
  if (!reader.passesByte(comma)) return undefined;
  const uncertainty = reader.wholeNumber();
  if (!(uncertainty <= maxUncertainty) || !reader.passesByte(closeBracket)) return undefined;
  return uncertainty > 0 ? { sequence, at, direction, uncertainty } : { sequence, at, direction };
}

const beforeJournal = Buffer.from('{"journal":"');
const beforeFirst = Buffer.from('","first":');
const beforeEntries = Buffer.from(',"crossings":[');
const behindEntries = Buffer.from(']}');

const codeOf = (character: string) => character.charCodeAt(0);
const openBracket = codeOf('[');
const closeBracket = codeOf(']');
const comma = codeOf(',');
const minus = codeOf('-');
const [zero, one, nine] = [codeOf('0'), codeOf('1'), codeOf('9')];
const [quote, backslash] = [codeOf('"'), codeOf('\\')];

/** What a journal's id is made of: `journalIdPattern`. */
const [firstVisible, lastVisible] = [codeOf('!'), codeOf('~')];

/** A number of so many digits is exact in a double. */
const maxDigits = 15;

/** Goes through bytes from their beginning on. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** Goes on behind these bytes where they are next. */
  passes(expected: Buffer): boolean {
    for (let index = 0; index < expected.length; index += 1)
      if (this.#bytes[this.#at + index] !== expected[index]) return false;
    this.#at += expected.length;
    return true;
  }

  passesByte(expected: number): boolean {
    if (this.#bytes[this.#at] !== expected) return false;
    this.#at += 1;
    return true;
  }

  /** The characters until the next quote; undefined when they are not those of a journal's id. */
  journal(): string | undefined {
    const start = this.#at;
    for (; this.#bytes[this.#at] !== quote; this.#at += 1) {
      const byte = this.#bytes[this.#at] ?? 0;
      if (byte < firstVisible || byte > lastVisible || byte === backslash) return undefined;
    }
    const length = this.#at - start;
    return length >= 1 && length <= maxJournalLength
      ? this.#bytes.toString('latin1', start, this.#at)
      : undefined;
  }

  /** A number of decimal digits, as JSON writes it; NaN when there is none, or it is too long. */
  wholeNumber(): number {
    const start = this.#at;
    let number = 0;
    for (;;) {
      const byte = this.#bytes[this.#at] ?? 0;
      if (byte < zero || byte > nine) break;
      number = 10 * number + (byte - zero);
      this.#at += 1;
    }
    const digits = this.#at - start;
    const hasLeadingZero = digits > 1 && this.#bytes[start] === zero;
    return digits >= 1 && digits <= maxDigits && !hasLeadingZero ? number : Number.NaN;
  }
}
