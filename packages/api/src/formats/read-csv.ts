import { malformedBody, type Problem } from '../problems/problems.ts';

/** A line of CSV with the number of the line on which it begins, from 1. */
interface CsvLine {
  readonly line: number;
  readonly values: readonly string[];
}

/** More than any list of a request has; a body of empty lines would occupy the process for a second. */
const mostLines = 10_000;

/**
 * Reads CSV as RFC 4180 and spreadsheets write it: separated by comma, semicolon or tab, whichever the first line has;
 * with any line ends, and with or without a byte order mark. Empty lines are left out.
 * Returns the character between two values as well. Throws `malformed_body`.
 */
export function readCsv(text: string) {
  const content = text.replace(/^\uFEFF/, '');
  const [header = ''] = content.split(/\r|\n/, 1);
  const separator = [';', '\t'].find((one) => header.includes(one)) ?? ',';
  const lines: CsvLine[] = [];
  let [line, next] = [1, 1];
  let values: string[] = [];
  for (const { quoted, plain, end, unclosed } of tokens(content, separator)) {
    if (line > mostLines) throw unreadable(line, `the limit of ${mostLines} lines is exceeded`);
    const value = quoted?.replaceAll('""', '"') ?? plain ?? '';
    if (unclosed) throw unreadable(line, 'a quotation mark is not closed');
    if (quoted !== undefined && plain) throw unreadable(line, 'text follows a closing quotation mark');
    values.push(value);
    next += lineEnds(quoted ?? '');
    if (end === separator) continue;
    if (values.length > 1 || values[0] !== '' || quoted !== undefined) lines.push({ line, values });
    next += 1;
    [line, values] = [next, []];
  }
  return { separator, lines };
}

function unreadable(line: number, why: string): Problem {
  return malformedBody(`The CSV cannot be read: in line ${line} ${why}.`);
}

interface Token {
  readonly quoted: string | undefined;
  /** Without quotation marks; what follows them, for a quoted value. */
  readonly plain: string | undefined;
  /** The separator, a line end, or nothing at the end of the text. */
  readonly end: string | undefined;
  readonly unclosed: boolean;
}

/** The values of CSV in their order. */
function* tokens(text: string, separator: string): Generator<Token, void> {
  const token = new RegExp(
    `(?:"((?:[^"]|"")*)("|$))?([^${separator}\\r\\n]*)(${separator}|\\r\\n|\\r|\\n|$)`,
    'y',
  );
  for (;;) {
    const start = token.lastIndex;
    const match = token.exec(text);
    if (match === null) return;
    const [, quoted, mark, plain, end = ''] = match;
    if (start === text.length && end === '' && !text.endsWith(separator)) return;
    yield { quoted, plain, end, unclosed: quoted !== undefined && mark === '' };
    if (end === '') return;
  }
}

function lineEnds(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}
