import type { Completeness } from '@visitor-counter/database/devices/completeness';
import { storeCompleteness } from '@visitor-counter/database/devices/store-devices';
import { occupancies } from '@visitor-counter/database/occupancy/projected-days';
import type { Db } from '@visitor-counter/database/sql/query-builder';
import { openSnapshot } from '@visitor-counter/database/sql/snapshot';
import type { StoreFacts } from '@visitor-counter/database/stores/store-facts';
import { readToday } from '@visitor-counter/database/visitors/count-visitors';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import Type from 'typebox';
import { columnsOf } from '../routing/list-columns.ts';
import { listOf, listQuery, page } from '../routing/pages.ts';
import { route } from '../routing/route.ts';
import { count, date, instant, orNull, text } from '../routing/shapes.ts';
import { completenessItem, completenessShape } from './completeness.ts';
import { requestedStores } from './requested-stores.ts';

const occupancyShape = Type.Object(
  {
    store: text('Store id.'),
    name: text('Name of the store.'),
    occupancy: count('People inside now.'),
    capacity: orNull(count('Capacity of the store in people.')),
    lastChangeAt: instant('The latest crossing or correction of the day, or its start.'),
    day: Type.Object({
      date: date('The business day.'),
      start: instant('Its start.'),
      end: instant('Its end.'),
    }),
    today: Type.Object(
      {
        in: count('Entries.'),
        out: count('Exits.'),
        visitors: count('Entries without declared staff.'),
      },
      { description: 'What was counted since the business day began.' },
    ),
    ...completenessShape,
  },
  { $id: 'StoreOccupancy' },
);

/** The people in each store now, and how far that can be trusted. */
export const getOccupancy = route(
  {
    method: 'GET',
    path: '/v1/occupancy',
    summary: 'People inside now',
    kinds: ['counts', 'staff'],
    query: listQuery,
    answer: listOf(occupancyShape),
    columns: columnsOf(occupancyShape, 'day.start', 'day.end'),
  },
  async ({ caller, query }, { database, now }) => {
    const at = now();
    await using snapshot = await openSnapshot(database);
    const { all } = await requestedStores(snapshot.db, caller, query.store);
    const { items, next } = page(all, ({ sid }) => sid, query);
    const completeness = await storeCompleteness(snapshot.db, items, at);
    const states = await storeStates(snapshot.db, items, at);
    return { items: states.map((state) => occupancyItem(state, completeness.get(state.store.id))), next };
  },
);

export type StoreState = Awaited<ReturnType<typeof storeStates>>[number];

/** How many people are in stores at `now` (epoch ms), in their order. */
export async function storeStates(db: Db, stores: readonly StoreFacts[], now: number) {
  const found = await occupancies(db, stores, now);
  const counted = await readToday(db, stores, now);
  return found.map(({ latest, ...state }, index) => {
    const today = counted[index] ?? { in: 0, out: 0, visitors: 0 };
    /* The latest crossing or correction of the day, or its start. */
    return { ...state, lastChange: latest ?? state.day.start, today };
  });
}

/** A state in an answer. */
export function occupancyItem(
  { store, day, occupancy, lastChange, today }: StoreState,
  health?: Completeness,
) {
  const format = zonedFormatter(store.calendar.timeZone);
  return {
    store: store.sid,
    name: store.name,
    occupancy,
    capacity: store.capacity,
    lastChangeAt: format(lastChange),
    day: { date: day.date, start: format(day.start), end: format(day.end) },
    today,
    ...completenessItem(health, format),
  };
}
