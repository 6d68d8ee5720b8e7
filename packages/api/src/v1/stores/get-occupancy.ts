import { completenessOfStore } from '@visitor-counter/database/devices/completeness';
import { openSnapshot } from '@visitor-counter/database/sql/snapshot';
import Type from 'typebox';
import { mostItems, page } from '../routing/page.ts';
import { nothing, type Route, type RouteDescription, route, type V1Resources } from '../routing/route.ts';
import { after, limit, listOf, occupancyShape, storeFilter } from '../routing/shapes.ts';
import { requestedStores } from './requested-stores.ts';
import { occupancyItem, storeHealth, storeStates } from './store-states.ts';

export const getOccupancyDescription = {
  method: 'GET',
  path: '/v1/occupancy',
  summary: 'People inside now',
  kinds: ['counts', 'staff'],
  query: Type.Object({ store: storeFilter, after, limit: limit(mostItems) }),
  body: nothing,
  status: 200,
  answer: listOf(occupancyShape),
  columns: ['store', 'name', 'occupancy', 'capacity', 'lastChangeAt', 'day.date', 'completeUntil'],
} satisfies RouteDescription;

/** The people in each store now, and how far that can be trusted. */
export function getOccupancy({ database, now }: V1Resources): Route {
  return route(getOccupancyDescription, async ({ caller, query }) => {
    const at = now();
    await using snapshot = await openSnapshot(database);
    const stores = await requestedStores(snapshot.db, caller, query.store);
    const { items, next } = page(stores, ({ sid }) => sid, query);
    const health = await storeHealth(snapshot.db, items, at);
    const states = await storeStates(snapshot.db, items, at);
    return {
      items: states.map((state) =>
        occupancyItem(state, health.get(state.store.id) ?? completenessOfStore([])),
      ),
      next,
    };
  });
}
