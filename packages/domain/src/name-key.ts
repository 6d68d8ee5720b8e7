/**
 * The key by which names are compared: trimmed, in Unicode NFC, without case.
 *
 * Upper case first, because full case mapping only unfolds there (`ß` to `SS`, final `ς` to `Σ`).
 */
export function nameKey(name: string): string {
  return cleanName(name).toUpperCase().toLowerCase().normalize('NFC');
}

/** PostgreSQL cannot store NUL or half a surrogate pair; other control characters upset terminals. */
export function isPrintable(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}

/** A name as it is stored and shown: trimmed and in Unicode NFC. */
export function cleanName(name: string): string {
  return name.normalize('NFC').trim();
}
