import { route } from '../routing/route.ts';
import { requireOrder } from '../routing/shapes.ts';
import { requestedStores } from '../stores/stores.ts';
import { visitorsAnswer, visitorsQuery } from './shapes.ts';
import { visitorsOf } from './visitors-of.ts';

/** Visitors in buckets of time, with the same buckets of another period. */
export const getVisitors = route(
  {
    method: 'GET',
    path: '/v1/visitors',
    summary: 'Visitors by hour, day, week or month',
    kinds: ['counts', 'staff'],
    query: visitorsQuery,
    answer: visitorsAnswer,
    columns: [
      'date',
      'from',
      'to',
      'visitors',
      'out',
      'staff',
      'comparable',
      'before',
      'open',
      'incomplete',
      'transactions',
      'amount',
      'conversion',
    ],
  },
  async ({ caller, query: requested }, { snapshots, exports, now }) => {
    const at = now();
    requireOrder(requested);
    using _slot = await exports.acquire(caller);
    return await snapshots.read(async ({ db }) => {
      const { store, group } = requested;
      const stores = await requestedStores(db, caller, store, group);
      return await visitorsOf(db, stores, requested, at);
    });
  },
);
