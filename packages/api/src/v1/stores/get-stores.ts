import type { StoreFacts } from '@visitor-counter/database/stores/stores';
import Type from 'typebox';
import { mostItems, page } from '../routing/page.ts';
import { nothing, type Route, type RouteDescription, route, type V1Resources } from '../routing/route.ts';
import { after, limit, listOf, storeShape } from '../routing/shapes.ts';
import { requestedStores } from './requested-stores.ts';

const kinds = ['counts', 'life-signal', 'staff'] as const;

export const getStoresDescription = {
  method: 'GET',
  path: '/v1/stores',
  summary: 'Stores',
  kinds,
  query: Type.Object({ after, limit: limit(mostItems) }),
  body: nothing,
  status: 200,
  answer: listOf(storeShape),
  columns: ['sid', 'name', 'address', 'city', 'timeZone', 'dayStartsAt', 'capacity'],
} satisfies RouteDescription;

/** The stores that the caller sees. */
export function getStores({ database }: V1Resources): Route {
  return route(getStoresDescription, async ({ caller, query }) => {
    const { items, next } = page(
      await requestedStores(database.kysely, caller, undefined),
      ({ sid }) => sid,
      query,
    );
    return { items: items.map(storeItem), next };
  });
}

export const getStoreDescription = {
  method: 'GET',
  path: '/v1/stores/:sid',
  summary: 'One store',
  kinds,
  query: nothing,
  body: nothing,
  status: 200,
  answer: storeShape,
} satisfies RouteDescription;

export function getStore({ database }: V1Resources): Route {
  return route(getStoreDescription, async ({ caller, path }) => {
    const [store] = await requestedStores(database.kysely, caller, path['sid'] ?? '');
    return store ? storeItem(store) : {};
  });
}

function storeItem({ sid, name, address, city, calendar, capacity, groups }: StoreFacts) {
  return { sid, name, address, city, ...calendar, capacity, groups };
}
