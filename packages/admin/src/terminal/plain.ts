/** Text that somebody else chose, for a terminal: control and format characters are shown as escapes. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) =>
    character === '\n' ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
