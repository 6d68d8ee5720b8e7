import { type StoreFacts, storeFacts } from '@visitor-counter/database/stores/store-facts';
import { type Opening, readOpening } from '@visitor-counter/database/visitors/opening';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import Type from 'typebox';
import { columnsOf } from '../routing/list-columns.ts';
import { after, limit, listOf, page } from '../routing/pages.ts';
import { route } from '../routing/route.ts';
import { count, date, orNull, text, time } from '../routing/shapes.ts';
import { storeInPath } from './requested-stores.ts';

/** Whether a store is open now. */
export const openingShape = {
  open: orNull(Type.Boolean({ description: 'Open now; null: it has no opening hours.' })),
  opensOn: orNull(date('The local date on which a closed store opens next.')),
  opensAt: orNull(text('The local time HH:MM at which it opens then.')),
};

const storeShape = Type.Object(
  {
    sid: text('Store id, unique in the company.'),
    name: text('Name of the store.'),
    address: text('Its address.'),
    city: text('Its city.'),
    timeZone: text('IANA time zone.'),
    dayStartsAt: text('Local time HH:MM at which the business day begins.'),
    capacity: orNull(count('Capacity in people.')),
    groups: Type.Array(Type.String(), { description: 'Shop groups that it is in.' }),
    ...openingShape,
    openToday: orNull(
      Type.Array(Type.Object({ from: time('When it opens.'), to: time('When it closes.') }), {
        description: 'When it is open on the present business day; null: it has no opening hours.',
      }),
    ),
  },
  { $id: 'Store' },
);

const kinds = ['counts', 'life-signal', 'staff'] as const;

/** The stores that the caller sees. */
export const getStores = route(
  {
    method: 'GET',
    path: '/v1/stores',
    summary: 'Stores',
    kinds,
    query: Type.Object({ after, limit: limit() }),
    answer: listOf(storeShape),
    columns: columnsOf(storeShape, 'groups'),
  },
  async ({ caller, query }, { database, now }) => {
    const stores = await storeFacts(database.kysely, caller);
    const { items, next } = page(stores, ({ sid }) => sid, query);
    const opening = await readOpening(database.kysely, items);
    const at = now();
    return { items: items.map((store) => storeItem(store, opening, at)), next };
  },
);

export const getStore = route(
  { method: 'GET', path: '/v1/stores/:sid', summary: 'One store', kinds, answer: storeShape },
  async (request, resources) => {
    const store = await storeInPath(request, resources);
    const opening = await readOpening(resources.database.kysely, [store]);
    return storeItem(store, opening, resources.now());
  },
);

function storeItem(store: StoreFacts, opening: Opening, now: number) {
  const { sid, name, address, city, calendar, capacity, groups } = store;
  const format = zonedFormatter(calendar.timeZone);
  const times = opening.timesOnDayOf(store, now);
  return {
    sid,
    name,
    address,
    city,
    ...calendar,
    capacity,
    groups,
    ...opening.stateAt(store, now),
    openToday: times?.map(({ from, to }) => ({ from: format(from), to: format(to) })) ?? null,
  };
}
