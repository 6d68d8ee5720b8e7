import { utcText } from '@visitor-counter/domain/time';

/** Rows of text as aligned columns under a header, without trailing spaces. Cells may be untrusted text. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows.map((row) => row.map(onOneLine))];
  const widths = header.map((_, column) => Math.max(...all.map((row) => width(row[column] ?? ''))));
  return all
    .map((row) => {
      const cells = row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - width(cell)));
      return cells.join('  ').trimEnd();
    })
    .join('\n');
}

/** The same with a column for each property of the items, such as TIME ZONE for `timeZone`; `none` without items. */
export function tableOf(items: readonly object[]): string {
  if (items.length === 0) return 'none';
  const header = Object.keys(items[0] ?? {});
  return table(
    header.map((name) => name.replaceAll(/[A-Z]/g, ' $&').toUpperCase()),
    items.map((item) => Object.values(item).map(cellText)),
  );
}

function cellText(value: unknown): string {
  if (value === null) return '-';
  if (Array.isArray(value)) return value.map(cellText).join(', ');
  if (typeof value === 'object') return Object.values(value).map(cellText).join(' ');
  return String(value);
}

function width(text: string): number {
  return [...text].length;
}

/**
 * Makes untrusted text safe for a terminal: control and format characters become escapes. The results and the errors of all
 * commands are printed in this form.
 */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) =>
    character === '\n' ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/** The same on one line, for a part of a text that must not look like other lines. */
export function onOneLine(text: string): string {
  return plain(text).replaceAll('\n', ' ');
}

/** An instant for a table: UTC, to the second; `never` where there is none. */
export function instantText(instant: number | null): string {
  return instant === null ? 'never' : `${utcText(instant).slice(0, 19)}Z`;
}

/** The names of instants, such as `createdAt`. */
const instantName = /^(at|since|from|until)$|(At|Since)$/;

/** A record for `--json`: its instants (epoch ms) as RFC 3339 in UTC, recognised by their names. */
export function inUtc(row: object): object {
  const properties = Object.entries(row).map(([name, value]: [string, unknown]) => {
    const isInstant = typeof value === 'number' && instantName.test(name);
    return [name, isInstant ? utcText(value) : value];
  });
  return Object.fromEntries(properties);
}

/** A duration (ms) in its largest unit. */
export function ageText(age: number): string {
  const seconds = Math.max(0, Math.floor(age / 1_000));
  const [size, unit] = units.find(([least]) => seconds >= least) ?? [1, 's'];
  return `${Math.floor(seconds / size)}${unit}`;
}

const units: readonly (readonly [number, string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
];

export function bytesText(bytes: number): string {
  if (bytes < 1e9) return `${Math.floor(bytes / 1e6)} MB`;
  return `${(bytes / 1e9).toFixed(bytes < 10e9 ? 1 : 0)} GB`;
}

/** Such as `1 day` and `2 days`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
