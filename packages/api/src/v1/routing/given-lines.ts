import { readCsv } from '../../formats/read-csv.ts';
import { invalidLines, invalidParameter, malformedBody, wrongLength } from '../../problems/problems.ts';
import { requireKnown, textIn } from './values.ts';

/** An item of a list, or a line of CSV. */
export interface GivenLine<Field extends string> {
  /** As in LineError. */
  readonly line: number;
  /** The value of a field as text; empty if it is missing. */
  text(field: Field): string;
}

interface ListOfLines<Field extends string> {
  /** The parameter that has the list. */
  readonly name: string;
  readonly fields: readonly Field[];
  /** Those that CSV may lack. */
  readonly optional?: readonly Field[];
  readonly least: number;
  readonly most: number;
}

/**
 * The lines that a caller has sent: a list of JSON, or CSV, of which the first line may name the columns; by default they are
 * the fields in order. Throws `malformed_body`, `invalid_lines`, and `invalid_parameter` if it is no list, too short or too
 * long: that is found before each line is read, because a body can have hundreds of times more lines than are allowed.
 */
export function givenLines<Field extends string>(
  sent: unknown,
  list: ListOfLines<Field>,
): GivenLine<Field>[] {
  const { name, fields } = list;
  if (typeof sent === 'string') return linesOfCsv(sent, list);
  if (!Array.isArray(sent)) throw invalidParameter(name, sent, expectedOf(list));
  requireLength(sent, list);
  return sent.map((item: unknown, index) => {
    requireKnown(item, fields, `${name}[${index}].`);
    return { line: index + 1, text: (field) => textIn(item, field) };
  });
}

function expectedOf({ least, most }: ListOfLines<string>): string {
  return `a list of ${least} to ${most} items, or CSV with as many lines`;
}

function requireLength(given: readonly unknown[], list: ListOfLines<string>): void {
  const { name, least, most } = list;
  if (given.length < least || given.length > most) throw wrongLength(name, given, expectedOf(list));
}

function linesOfCsv<Field extends string>(text: string, list: ListOfLines<Field>): GivenLine<Field>[] {
  const { fields, optional = [] } = list;
  const { separator, lines } = readCsv(text);
  const titles = lines[0]?.values.map((title) => title.trim().toLowerCase()) ?? [];
  const isHeader = fields.some((field) => titles.includes(field));
  const names: readonly string[] = isHeader ? titles : fields.slice(0, titles.length);
  const missing = fields.find((field) => !optional.includes(field) && !names.includes(field));
  if (missing !== undefined) throw malformedBody(`The first line of CSV has no column ${missing}.`);
  const twice = fields.find((field) => names.indexOf(field) !== names.lastIndexOf(field));
  if (twice !== undefined) throw malformedBody(`The first line of CSV has two columns ${twice}.`);
  const rows = lines.slice(isHeader ? 1 : 0);
  requireLength(rows, list);
  return rows.map(({ line, values }) => {
    if (values.length !== names.length) {
      const expected = `${names.length} values, as the first line`;
      throw invalidLines([{ line, field: 'line', value: values.join(separator), expected }]);
    }
    return { line, text: (field) => values[names.indexOf(field)]?.trim() ?? '' };
  });
}
