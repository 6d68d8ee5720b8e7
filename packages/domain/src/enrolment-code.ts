/**
 * Codes by which units enrol: 30 characters of Crockford's base32 in groups of five, for people to type.
 *
 * 13 characters (65 bits) are random, 16 (80 bits) are the beginning of the SHA-256 of a public key that identifies the
 * server, and the last one is a check digit.
 */
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

const randomLength = 13;
const fingerprintLength = 16;
const length = randomLength + fingerprintLength + 1;

export interface EnrolmentCode {
  /** Upper case, without hyphens. */
  readonly text: string;
  /** The result of `fingerprintText`. */
  readonly fingerprint: string;
}

/** A new code from at least 13 random bytes, five bits of each. */
export function makeEnrolmentCode(random: Uint8Array, fingerprint: string): string {
  const front = [...random.subarray(0, randomLength)].map((byte) => digits[byte % 32]).join('') + fingerprint;
  const code = front + digits[checkOf(front)];
  return code.match(/.{5}/g)?.join('-') ?? '';
}

/** Parses a typed code in any letter case, with any hyphens and spaces; undefined for any other text. */
export function parseEnrolmentCode(typed: string): EnrolmentCode | undefined {
  const text = typed.toUpperCase().replace(/[\s-]/g, '').replace(/[IL]/g, '1').replaceAll('O', '0');
  if (text.length !== length || [...text].some((digit) => !digits.includes(digit))) return undefined;
  if (checkOf(text) !== 0) return undefined;
  return { text, fingerprint: text.slice(randomLength, -1) };
}

/** The first 80 bits of a hash. */
export function fingerprintText(hash: Uint8Array): string {
  const bits = [...hash.subarray(0, 10)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const fives = bits.match(/.{5}/g) ?? [];
  return fives.map((five) => digits[Number.parseInt(five, 2)]).join('');
}

/**
 * The check digit that follows a text; 0 for a text that ends with its own. Damm's scheme (2004) over the field of
 * 32 elements, x^5 + x^2 + 1: finds every single wrong character and every swap of neighbours.
 */
function checkOf(text: string): number {
  let check = 0;
  for (const digit of text) {
    const doubled = (check ^ digits.indexOf(digit)) << 1;
    check = doubled & 0b100000 ? doubled ^ 0b100101 : doubled;
  }
  return check;
}
