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

/** In characters as a reader counts them. */
function width(text: string): number {
  return [...new Intl.Segmenter().segment(text)].length;
}
