import type { Sale } from '@visitor-counter/database/sales/sales';
import type { StoreFacts } from '@visitor-counter/database/stores/store-facts';
import { parseMoney } from '@visitor-counter/domain/money';
import { cleanName, isPrintable } from '@visitor-counter/domain/name-key';
import { parseInstantIn } from '@visitor-counter/domain/time-zone';
import { invalidLines, type LineError } from '../../problems/problems.ts';
import type { GivenLine } from '../routing/given-lines.ts';

/** The entries of one request. */
export const salesList = {
  name: 'items',
  fields: ['store', 'at', 'transactions', 'amount', 'id'],
  optional: ['id'],
  least: 0,
  most: 5_000,
} as const;

type Field = (typeof salesList.fields)[number];

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
  given: readonly GivenLine<Field>[],
  stores: readonly StoreFacts[],
  now: number,
): readonly Sale[] {
  const bySid = new Map(stores.map((store) => [cleanName(store.sid), store]));
  const errors: LineError[] = [];
  const keys = new Set<string>();
  const sales = given.flatMap(({ line, text }): Sale | readonly [] => {
    const wrong = (field: Field, why: string = expected[field]) =>
      errors.push({ line, field, value: text(field), expected: why });
    const store = bySid.get(cleanName(text('store')));
    if (store === undefined) wrong('store');
    const at = parseInstantIn(text('at'), store?.calendar.timeZone ?? 'UTC');
    const isInTime = at !== undefined && at >= 0 && at <= now + ahead;
    if (!isInTime) wrong('at');
    const transactions = /^\d{1,7}$/.test(text('transactions')) ? Number(text('transactions')) : Infinity;
    if (transactions > mostTransactions) wrong('transactions');
    /* Spreadsheets of many languages write a decimal comma. */
    const amount = parseMoney(text('amount').replace(/,(?=\d{1,2}$)/, '.'));
    if (amount === undefined) wrong('amount');
    const ownId = text('id');
    if ([...ownId].length > 200 || !isPrintable(ownId)) wrong('id');
    if (store === undefined || !isInTime || amount === undefined) return [];
    const id = ownId === '' ? new Date(at).toISOString() : ownId;
    if (keys.has(`${store.id} ${id}`)) wrong(ownId === '' ? 'at' : 'id', expected.ofOne);
    keys.add(`${store.id} ${id}`);
    return { storeId: store.id, id, at, transactions, amount };
  });
  if (errors.length > 0) throw invalidLines(errors);
  return sales;
}
