/** Rows of text as aligned columns under a header, without trailing spaces. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => width(row[column] ?? ''))));
  return all
    .map((row) => {
      const cells = row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - width(cell)));
      return cells.join('  ').trimEnd();
    })
    .join('\n');
}

/** In grapheme clusters. */
function width(text: string): number {
  return [...new Intl.Segmenter().segment(text)].length;
}

/** Makes untrusted text safe for a terminal: control and format characters become escapes. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) =>
    character === '\n' ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/** The same on one line. */
export function onOneLine(text: string): string {
  return plain(text).replaceAll('\n', ' ');
}

/** An instant for a table: UTC, to the second; `never` where there is none. */
export function instantText(instant: Date | null): string {
  return instant ? `${instant.toISOString().slice(0, 19)}Z` : 'never';
}
