import type { Sale } from '@visitor-counter/database/sales/sales';
import type { StoreFacts } from '@visitor-counter/database/stores/stores';
import { parseMoney } from '@visitor-counter/domain/money';
import { cleanName, isStorable } from '@visitor-counter/domain/name-key';
import { parseInstant } from '@visitor-counter/domain/time';
import { parseLocalInstant } from '@visitor-counter/domain/time-zone';
import { invalidLines, type LineError } from '../../problems/problems.ts';
import type { GivenSale } from './given-sales.ts';

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
    if ([...one.id].length > 200 || !isStorable(one.id)) wrong('id');
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
