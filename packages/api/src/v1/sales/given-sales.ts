import { invalidLines, invalidParameter, malformedBody, wrongLength } from '../../problems/problems.ts';
import { fieldsIn, TextBody, tableIn } from '../routing/values.ts';

/** The fields of an entry, as the caller names them. */
export const saleFields = ['store', 'at', 'transactions', 'amount', 'id'] as const;

/** An entry as it was sent: every value as text, empty if it is missing. */
export type GivenSale = Readonly<Record<(typeof saleFields)[number], string>> & {
  /** As in LineError. */
  readonly line: number;
};

/** The most entries of one request. */
export const mostSales = 5_000;

const itemsExpected = `a list of at most ${mostSales} items`;

/**
 * Reads the entries of a request: JSON `{"items": [...]}`, or CSV with a header line. Throws `malformed_body`,
 * `invalid_lines`, and `invalid_parameter` for what is no list or too long.
 */
export function givenSales(sent: unknown): readonly GivenSale[] {
  const given = sent instanceof TextBody ? ofCsv(sent) : ofJson(sent);
  if (given.length > mostSales) throw wrongLength('items', given, itemsExpected);
  return given;
}

function ofJson(sent: unknown): GivenSale[] {
  const { items } = fieldsIn(sent);
  if (!Array.isArray(items)) throw invalidParameter('items', items, itemsExpected);
  return items.map((item: unknown, index) => {
    const values = new Map(Object.entries(typeof item === 'object' && item !== null ? item : {}));
    return { line: index + 1, ...fieldsOf((name) => jsonText(values.get(name))) };
  });
}

/** A value that is neither text nor a number is wrong in every field. */
function jsonText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
}

function ofCsv(sent: TextBody): GivenSale[] {
  const { separator, lines } = tableIn(sent);
  const [header, ...rest] = lines;
  const names = header?.values.map((name) => name.trim().toLowerCase()) ?? [];
  const missing = saleFields.find((name) => name !== 'id' && !names.includes(name));
  if (missing !== undefined)
    throw malformedBody(`The first line of CSV names the columns, and has no column ${missing}.`);
  const twice = saleFields.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) throw malformedBody(`The first line of CSV has two columns ${twice}.`);
  return rest.map(({ line, values }) => {
    if (values.length !== names.length) {
      const value = values.join(separator);
      throw invalidLines([
        { line, field: 'line', value, expected: `${names.length} values, as the first line` },
      ]);
    }
    const fields = fieldsOf((name) => values[names.indexOf(name)]?.trim() ?? '');
    return { line, ...fields, amount: withPoint(fields.amount, separator) };
  });
}

/** Spreadsheets that separate values by semicolons write a decimal comma. */
function withPoint(amount: string, separator: string): string {
  return separator !== ',' && /^-?\d+,\d{1,2}$/.test(amount) ? amount.replace(',', '.') : amount;
}

function fieldsOf(textOf: (name: (typeof saleFields)[number]) => string): Omit<GivenSale, 'line'> {
  return {
    store: textOf('store'),
    at: textOf('at'),
    transactions: textOf('transactions'),
    amount: textOf('amount'),
    id: textOf('id'),
  };
}
