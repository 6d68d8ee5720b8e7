import { listSales, type Sale, type SalePosition, storeSales } from '@visitor-counter/database/sales/sales';
import { type StoreFacts, storeFacts } from '@visitor-counter/database/stores/store-facts';
import { type Days, periodOf } from '@visitor-counter/domain/buckets';
import { businessDayStart } from '@visitor-counter/domain/business-day';
import { moneyText } from '@visitor-counter/domain/money';
import { parsedJson } from '@visitor-counter/domain/parsed-json';
import { addDays } from '@visitor-counter/domain/time-zone';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import Type from 'typebox';
import { Check } from 'typebox/value';
import { givenLines } from '../routing/given-lines.ts';
import { columnsOf } from '../routing/list-columns.ts';
import { after, invalidCursor, limit, listOf, readPage } from '../routing/pages.ts';
import { route } from '../routing/route.ts';
import {
  amount,
  count,
  day,
  instant,
  noOtherFields,
  requireOrder,
  storeFilter,
  text,
} from '../routing/shapes.ts';
import { fieldsIn, requireKnown } from '../routing/values.ts';
import { requestedStores } from '../stores/requested-stores.ts';
import { checkedSales, expected, salesList } from './given-sales.ts';

const saleToSend = Type.Object(
  {
    store: text(`Must be ${expected.store}.`),
    at: text(`Must be ${expected.at}.`),
    transactions: Type.Integer({ description: `Must be ${expected.transactions}.`, minimum: 0 }),
    amount: Type.Union([Type.Number(), Type.String()], { description: `Must be ${expected.amount}.` }),
    id: Type.Optional(text('Unique in the store; by default the instant in UTC.')),
  },
  noOtherFields,
);

/** Stores what tills report, all or nothing. */
export const postSales = route(
  {
    method: 'POST',
    path: '/v1/sales',
    summary: 'Store sales; repeating the request changes nothing',
    kinds: ['sales', 'staff'],
    rawBody: {
      json: Type.Object({ items: Type.Array(saleToSend, { maxItems: salesList.most }) }, noOtherFields),
      texts: {
        'text/csv': `At most ${salesList.most} lines after a header line with the columns ${salesList.fields.join(', ')}.`,
      },
    },
    bodyLimit: 2 * 1024 * 1024,
    answer: Type.Object({
      stored: count('New entries.'),
      replaced: count('Entries that replaced other content of the same key.'),
      unchanged: count('Entries that were stored before as they are.'),
    }),
  },
  async ({ caller, author, sent }, { database, now }) => {
    requireKnown(sent, ['items']);
    const given = givenLines(typeof sent === 'string' ? sent : fieldsIn(sent)['items'], salesList);
    const sales = checkedSales(given, await storeFacts(database.kysely, caller), now());
    const { company, credentialId } = caller;
    return await storeSales(database.kysely, { sales, company, author, credentialId });
  },
);

const saleShape = Type.Object(
  {
    store: text('Store id.'),
    at: instant('When.'),
    transactions: count('Purchases.'),
    amount: amount('Their sum in the currency of the store.'),
    id: text('The id of the entry in its store.'),
  },
  { $id: 'Sale' },
);

/** The sales of business days, in the order of their instants. */
export const getSales = route(
  {
    method: 'GET',
    path: '/v1/sales',
    summary: 'Sales that were stored',
    kinds: ['counts', 'staff', 'sales'],
    query: Type.Object({ store: storeFilter, from: day, to: day, after, limit: limit() }),
    answer: listOf(saleShape),
    columns: columnsOf(saleShape),
  },
  async ({ caller, query }, { database, now }) => {
    const days = { from: query.from, to: query.to };
    requireOrder(query);
    const position = readPosition(query.after);
    const stores = await requestedStores(database.kysely, caller, query.store);
    const ranges = stores.all.map((store) => ({ storeId: store.id, ...rangeOf(store, days, now()) }));
    const read = (most: number) => listSales(database.kysely, ranges, position, most);
    const { items, next } = await readPage(read, positionText, query.limit);
    return { items: items.map((sale) => saleItem(sale, stores.of(sale.storeId))), next };
  },
);

/** The business days from `from` to `to` (epoch ms), by default the present one. */
function rangeOf({ calendar }: StoreFacts, days: Days, now: number) {
  const { from, to } = periodOf(calendar, days, now);
  return { from: businessDayStart(from, calendar), to: businessDayStart(addDays(to, 1), calendar) };
}

function saleItem({ at, transactions, amount, id }: Sale, { sid, calendar }: StoreFacts) {
  const format = zonedFormatter(calendar.timeZone);
  return { store: sid, at: format(at), transactions, amount: moneyText(amount), id };
}

const Position = Type.Tuple([
  Type.Integer(),
  Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }),
  Type.String({ pattern: '^[^\\0]*$' }),
]);

function positionText({ at, storeId, id }: SalePosition): string {
  return Buffer.from(JSON.stringify([at, storeId, id])).toString('base64url');
}

function readPosition(after: string | undefined): SalePosition | undefined {
  if (after === undefined) return undefined;
  const position: unknown = parsedJson(Buffer.from(after, 'base64url').toString());
  if (!Check(Position, position)) throw invalidCursor(after);
  const [at, storeId, id] = position;
  return { at, storeId, id };
}
