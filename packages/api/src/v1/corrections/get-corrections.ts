import { listCorrections } from '@visitor-counter/database/occupancy/list-corrections';
import type { StoreFacts } from '@visitor-counter/database/stores/stores';
import { businessDayStart } from '@visitor-counter/domain/business-day';
import { addDays } from '@visitor-counter/domain/time-zone';
import Type from 'typebox';
import { invalidParameter } from '../../problems/problems.ts';
import { mostItems } from '../routing/page.ts';
import { nothing, type Route, type RouteDescription, route, type V1Resources } from '../routing/route.ts';
import { limit, listOf, storeFilter } from '../routing/shapes.ts';
import { requestedStores } from '../stores/requested-stores.ts';
import { correctionItem, correctionShape } from './correction.ts';

const day = Type.Optional(Type.String({ description: 'a date that exists, YYYY-MM-DD', format: 'date' }));

export const getCorrectionsDescription = {
  method: 'GET',
  path: '/v1/corrections',
  summary: 'What staff counted',
  kinds: ['counts', 'staff'],
  query: Type.Object({
    ...{ store: storeFilter, from: day, to: day, limit: limit(mostItems) },
    after: Type.Optional(Type.String({ description: 'what `next` was', pattern: '^\\d{1,15}$' })),
  }),
  body: nothing,
  status: 200,
  answer: listOf(correctionShape),
  columns: ['id', 'store', 'at', 'people', 'by', 'note', 'enteredAt', 'credential', 'undone.by', 'undone.at'],
} satisfies RouteDescription;

/** What staff counted, the last entered first, with what was undone. */
export function getCorrections({ database }: V1Resources): Route {
  return route(getCorrectionsDescription, async ({ caller, query }) => {
    const { from, to, after, limit: requested = mostItems } = query;
    if (from !== undefined && to !== undefined && from > to) {
      throw invalidParameter('from', 'a date not after `to`');
    }
    const stores = await requestedStores(database.kysely, caller, query.store);
    const byId = new Map(stores.map((store) => [store.id, store]));
    const found = await listCorrections(database.kysely, {
      storeIds: [...byId.keys()],
      ...rangeOver(stores, from, to),
      before: after,
      limit: requested + 1,
    });
    const items = found.slice(0, requested).flatMap((correction) => {
      const store = byId.get(correction.store_id);
      return store && isWithin(correction.at, store, from, to) ? [correctionItem(correction, store)] : [];
    });
    const next = found.length > requested ? (found[requested - 1]?.id ?? null) : null;
    return { items, next };
  });
}

/** From the first store's begin of the range to the last one's end. */
function rangeOver(stores: readonly StoreFacts[], from: string | undefined, to: string | undefined) {
  const starts = stores.map(({ calendar }) => (from === undefined ? 0 : businessDayStart(from, calendar)));
  const ends = stores.map(({ calendar }) =>
    to === undefined ? Number.POSITIVE_INFINITY : businessDayStart(addDays(to, 1), calendar),
  );
  return { from: Math.min(...starts), to: Math.max(...ends) };
}

function isWithin(at: number, store: StoreFacts, from: string | undefined, to: string | undefined): boolean {
  const range = rangeOver([store], from, to);
  return at >= range.from && at < range.to;
}
