import type { Sale } from '@visitor-counter/database/sales/sales';
import type { StoreFacts } from '@visitor-counter/database/stores/stores';
import { parseMoney } from '@visitor-counter/domain/money';
import { cleanName, isPrintable } from '@visitor-counter/domain/name-key';
import { parseInstant } from '@visitor-counter/domain/time';
import { parseLocalInstant } from '@visitor-counter/domain/time-zone';
import { readCsv } from '../../formats/read-csv.ts';
import {
  invalidLines,
  invalidParameter,
  type LineError,
  malformedBody,
  wrongLength,
} from '../../problems/problems.ts';
import { fieldsIn, requireKnown, TextBody, textIn } from '../routing/values.ts';

/** The fields of an entry, as the caller names them. */
export const saleFields = ['store', 'at', 'transactions', 'amount', 'id'] as const;

/** An entry as it was sent: every value as text, empty if it is missing. */
type GivenSale = Readonly<Record<(typeof saleFields)[number], string>> & {
  /** As in LineError. */
  readonly line: number;
};

/** The most entries of one request. */
export const mostSales = 5_000;

const itemsExpected = `a list of at most ${mostSales} items`;

/**
 * Reads the entries of a request: JSON `{"items": [...]}`, or CSV with a header line. Throws `malformed_body`,
 * `invalid_lines`, and `invalid_parameter` if they are no list, or too many.
 */
export function givenSales(sent: unknown): readonly GivenSale[] {
  return sent instanceof TextBody ? ofCsv(sent) : ofJson(sent);
}

/** Before each entry is read: a body can have hundreds of times more, which would occupy the process for seconds. */
function requireFew(entries: readonly unknown[]): void {
  if (entries.length > mostSales) throw wrongLength('items', entries, itemsExpected);
}

function ofJson(sent: unknown): GivenSale[] {
  const { items } = fieldsIn(sent);
  requireKnown(sent, ['items']);
  if (!Array.isArray(items)) throw invalidParameter('items', items, itemsExpected);
  requireFew(items);
  return items.map((item: unknown, index) => {
    requireKnown(item, saleFields, `items[${index}].`);
    return { line: index + 1, ...fieldsOf((name) => textIn(item, name)) };
  });
}

function ofCsv({ text }: TextBody): GivenSale[] {
  const { separator, lines } = readCsv(text);
  const [header, ...rest] = lines;
  const names = header?.values.map((name) => name.trim().toLowerCase()) ?? [];
  const missing = saleFields.find((name) => name !== 'id' && !names.includes(name));
  if (missing !== undefined)
    throw malformedBody(`The first line of CSV names the columns, and has no column ${missing}.`);
  const twice = saleFields.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) throw malformedBody(`The first line of CSV has two columns ${twice}.`);
  requireFew(rest);
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

/** Far more than a till takes between two reports: a typing error. */
const mostTransactions = 1_000_000;

/** ms: clocks of tills differ; a later instant is a typing error. */
const ahead = 86_400_000;

/** What a value must be, ending the sentence "<field> must be …". */
export const expected = {
  store: 'the sid of a store that you may see',
  at: 'an RFC 3339 date-time such as 2026-11-20T10:00:00+01:00, or without offset in the time of the store, from 1970 on and at most a day ahead',
  transactions: `a whole number from 0 to ${mostTransactions}`,
  amount: 'a decimal number such as 1250.50, with at most 12 digits before the point and 2 after it',
  id: 'text of at most 200 characters, well-formed and without control characters',
  ofOne: 'different for each entry of a store; entries of one instant need an id',
} as const;

/** The entries, or throws `invalid_lines` with every mistake in them. */
export function checkedSales(
  given: readonly GivenSale[],
  stores: readonly StoreFacts[],
  now: number,
): readonly Sale[] {
  const bySid = new Map(stores.map((store) => [cleanName(store.sid), store]));
  const errors: LineError[] = [];
  const keys = new Set<string>();
  const sales = given.flatMap((one): Sale | readonly [] => {
    const wrong = (field: keyof typeof expected & keyof GivenSale, why: string = expected[field]) =>
      errors.push({ line: one.line, field, value: one[field], expected: why });
    const store = bySid.get(cleanName(one.store));
    if (store === undefined) wrong('store');
    const at = instantOf(one.at, store, now);
    if (at === undefined) wrong('at');
    const transactions = /^\d{1,7}$/.test(one.transactions) ? Number(one.transactions) : undefined;
    const isPossible = transactions !== undefined && transactions <= mostTransactions;
    if (!isPossible) wrong('transactions');
    const amount = parseMoney(one.amount);
    if (amount === undefined) wrong('amount');
    if ([...one.id].length > 200 || !isPrintable(one.id)) wrong('id');
    if (store === undefined || at === undefined || !isPossible || amount === undefined) return [];
    const id = one.id === '' ? new Date(at).toISOString() : one.id;
    if (keys.has(`${store.id} ${id}`)) wrong(one.id === '' ? 'at' : 'id', expected.ofOne);
    keys.add(`${store.id} ${id}`);
    return { storeId: store.id, id, at, transactions, amount };
  });
  if (errors.length > 0) throw invalidLines(errors);
  return sales;
}

const local = /^\d{4}-\d\d-\d\d[Tt ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?$/;

/** Without offset the text is local time; of a time that occurs twice the first. */
function instantOf(text: string, store: StoreFacts | undefined, now: number): number | undefined {
  const at = local.test(text)
    ? parseLocalInstant(text, store?.calendar.timeZone ?? 'UTC')
    : parseInstant(text);
  return at !== undefined && at >= 0 && at <= now + ahead ? at : undefined;
}
