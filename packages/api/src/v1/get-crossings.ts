import {
  decodeArrivalCursor,
  encodeArrivalCursor,
  firstArrival,
} from '@visitor-counter/database/reading/arrival-cursor';
import { type Arrival, readArrivals } from '@visitor-counter/database/reading/arrivals';
import { openSnapshot } from '@visitor-counter/database/reading/snapshot';
import type { StoreFacts } from '@visitor-counter/database/reading/store-facts';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import Type from 'typebox';
import { invalidParameter } from '../problems.ts';
import { defaultLimit } from './page.ts';
import { nothing, type Route, type RouteDescription, route } from './route.ts';
import { after, instant, limit, orNull, storeFilter } from './shapes.ts';
import { storesInSight } from './stores-in-sight.ts';
import type { V1Resources } from './v1-resources.ts';

const mostCrossings = 10_000;

const crossing = Type.Object(
  {
    store: Type.String({ description: 'Store id.' }),
    device: Type.String({ description: 'Serial number.' }),
    journal: Type.String({ description: 'The journal of the device that numbers it.' }),
    sequence: Type.Integer({ description: 'Its number there.' }),
    at: instant('When.'),
    direction: Type.Enum(['in', 'out']),
    uncertaintyMs: orNull(Type.Integer({ description: 'How far the instant may be off.' })),
  },
  { $id: 'Crossing' },
);

export const getCrossingsDescription = {
  method: 'GET',
  path: '/v1/crossings',
  summary: 'Crossings in the order of commits',
  kinds: ['counts', 'staff'],
  query: Type.Object({ store: storeFilter, after, limit: limit(mostCrossings) }),
  body: nothing,
  status: 200,
  answer: Type.Object({
    items: Type.Array(crossing),
    next: Type.String({ description: 'Give it as `after`, now or later.' }),
    more: Type.Boolean({ description: 'There may be more now.' }),
  }),
  columns: ['store', 'device', 'journal', 'sequence', 'at', 'direction', 'uncertaintyMs'],
} satisfies RouteDescription;

/** Crossings in the order in which they became readable, behind a cursor. */
export function getCrossings({ database, exports }: V1Resources): Route {
  return route(getCrossingsDescription, async ({ caller, query }) => {
    const cursor = query.after === undefined ? firstArrival : decodeArrivalCursor(query.after);
    if (cursor === undefined) throw invalidParameter('after', 'what `next` was');
    using _slot = await exports.take(caller.credentialId);
    await using snapshot = await openSnapshot(database);
    const stores = await storesInSight(snapshot.db, caller, query.store);
    const byId = new Map(stores.map((store) => [store.id, store]));
    const found = await readArrivals(snapshot.db, [...byId.keys()], cursor, query.limit ?? defaultLimit);
    const show = shownIn(byId);
    return { items: found.arrivals.map(show), next: encodeArrivalCursor(found.next), more: found.more };
  });
}

function shownIn(stores: ReadonlyMap<number, StoreFacts>): (arrival: Arrival) => object {
  const formats = new Map<number, ReturnType<typeof zonedFormatter>>();
  return (arrival) => {
    const store = stores.get(arrival.store_id);
    const format = formats.get(arrival.store_id) ?? zonedFormatter(store?.calendar.timeZone ?? 'UTC');
    formats.set(arrival.store_id, format);
    return {
      store: store?.sid ?? '',
      device: arrival.serial,
      journal: arrival.journal,
      sequence: Number(arrival.sequence),
      at: format(arrival.at),
      direction: arrival.direction === 1 ? 'in' : 'out',
      uncertaintyMs: arrival.uncertainty_ms === null ? null : Number(arrival.uncertainty_ms),
    };
  };
}
