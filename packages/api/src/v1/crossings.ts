import {
  commonUntil,
  decodeArrivalCursor,
  encodeArrivalCursor,
  firstArrival,
  presentEpoch,
} from '@visitor-counter/database/crossings/arrival-cursor';
import { type Arrival, cursorBefore, readArrivals } from '@visitor-counter/database/crossings/arrivals';
import { keptFrom } from '@visitor-counter/database/retention/retention';
import { openSnapshot } from '@visitor-counter/database/sql/snapshot';
import { onceForEachCalendar } from '@visitor-counter/domain/business-day';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import Type from 'typebox';
import { crossingsRemoved, cursorOfAnotherEpoch, invalidParameter } from '../problems/problems.ts';
import { columnsOf } from './routing/list-columns.ts';
import { after, invalidCursor, limit, usualLimit } from './routing/pages.ts';
import { route } from './routing/route.ts';
import { instant, orNull, readFrom, storeFilter, text } from './routing/shapes.ts';
import { requestedStores, type StoresById } from './stores/requested-stores.ts';

const mostCrossings = 10_000;

const notBoth = 'left out where `after` is given';

const crossing = Type.Object(
  {
    store: text('Store id.'),
    device: text('Serial number.'),
    journal: text('The journal of the device that numbers it.'),
    sequence: Type.Integer({ description: 'Its number there.' }),
    at: instant('When.'),
    direction: Type.Enum(['in', 'out', 'voided'], {
      description: '`voided`: an operator has removed it from every number.',
    }),
    uncertaintyMs: orNull(Type.Integer({ description: 'How far the instant may be off.' })),
  },
  { $id: 'Crossing' },
);

/**
 * Crossings in the order in which they became readable, after a cursor. Throws `cursor_of_another_history` for a cursor from
 * before a restore or a failover, and `crossings_removed` for an instant whose crossings are no longer kept. A cursor that is
 * followed by crossings that were deleted because of their age continues after them.
 */
export const getCrossings = route(
  {
    method: 'GET',
    path: '/v1/crossings',
    summary: 'Crossings in the order of commits',
    kinds: ['counts', 'staff'],
    query: Type.Object({
      store: storeFilter,
      from: Type.Optional(
        text(
          'Begins at the first commit of a crossing that happened then or later; an RFC 3339 date-time with offset.',
        ),
      ),
      after,
      limit: limit(mostCrossings),
    }),
    answer: Type.Object({
      items: Type.Array(crossing),
      next: text('Pass it as `after`, now or later.'),
      more: Type.Boolean({ description: 'There may be more now.' }),
    }),
    columns: columnsOf(crossing),
    beginsAt: 'from',
    places: 'exports',
  },
  async ({ caller, query, signal }, { database }) => {
    const given = query.after === undefined ? undefined : decodeArrivalCursor(query.after);
    if (query.after !== undefined && given === undefined) throw invalidCursor(query.after);
    const from = readFrom(query.from);
    if (given !== undefined && from !== undefined) throw invalidParameter('from', query.from, notBoth);
    await using snapshot = await openSnapshot(database, signal);
    const { db } = snapshot;
    const stores = await requestedStores(db, caller, query.store);
    const kept = await keptFrom(db, caller);
    if (from !== undefined && from < kept) throw crossingsRemoved(kept, 'from');
    if (given !== undefined && given.epoch !== (await presentEpoch(db)).epoch) {
      const common = await commonUntil(db, stores.ids, given);
      throw cursorOfAnotherEpoch(common && Math.max(common, kept));
    }
    const start = from === undefined ? firstArrival : await cursorBefore(db, stores.ids, from);
    const found = await readArrivals(db, stores.ids, given ?? start, query.limit ?? usualLimit);
    const toItem = itemsWith(stores);
    return { items: found.arrivals.map(toItem), next: encodeArrivalCursor(found.next), more: found.more };
  },
);

function directionOf({ direction, voided }: Arrival): 'in' | 'out' | 'voided' {
  if (voided) return 'voided';
  return direction === 1 ? 'in' : 'out';
}

function itemsWith(stores: StoresById): (arrival: Arrival) => object {
  const formatOf = onceForEachCalendar(({ timeZone }) => zonedFormatter(timeZone));
  return (arrival) => {
    const { sid, calendar } = stores.of(arrival.storeId);
    const format = formatOf(calendar);
    return {
      store: sid,
      device: arrival.serial,
      journal: arrival.journal,
      sequence: arrival.sequence,
      at: format(arrival.at),
      direction: directionOf(arrival),
      uncertaintyMs: arrival.uncertaintyMs,
    };
  };
}
