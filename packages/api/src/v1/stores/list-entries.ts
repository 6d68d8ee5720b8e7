import {
  type EntryFacts,
  type EntryKind,
  findEntry,
  listEntries,
} from '@visitor-counter/database/entries/entries';
import { type StoreFacts, storeFacts } from '@visitor-counter/database/stores/stores';
import { businessDayStart } from '@visitor-counter/domain/business-day';
import { addDays } from '@visitor-counter/domain/time-zone';
import type { Kysely } from 'kysely';
import Type, { type Static } from 'typebox';
import type { Caller } from '../../access/callers.ts';
import { unknownResource } from '../../problems/problems.ts';
import {
  afterEntry,
  day,
  firstPage,
  limit,
  mostItems,
  requireOrder,
  storeFilter,
} from '../routing/shapes.ts';
import { requestedStores } from './stores.ts';

/* What staff have entered for stores, with an instant: corrections and staff passages. */

/** The query of a list of entries: those of one store or of all, of business days. */
export const entriesQuery = Type.Object({
  store: storeFilter,
  from: day,
  to: day,
  limit: limit(),
  after: afterEntry,
});

/** How an answer has the entries of a kind. */
export interface ShownEntries {
  readonly kind: EntryKind;
  itemOf(entry: EntryFacts, store: StoreFacts): object;
}

/** A page of the entries that a query asks for, the last entered first. */
export async function pageOfEntries(
  { kind, itemOf }: ShownEntries,
  db: Kysely<unknown>,
  caller: Caller,
  query: Static<typeof entriesQuery>,
) {
  const { after: before, limit: requested = mostItems } = query;
  requireOrder(query);
  const stores = await requestedStores(db, caller, query.store);
  const byId = new Map(stores.map((store) => [store.id, { store, range: instantsOf(store, query) }]));
  const wanted = { ...hull([...byId.values()].map(({ range }) => range)), before, limit: requested + 1 };
  const found = await listEntries(db, kind, { ...wanted, storeIds: [...byId.keys()] });
  const { items, next } = firstPage(found, requested, ({ id }) => id);
  const shown = items.flatMap((entry) => {
    const { store, range } = byId.get(entry.store_id) ?? {};
    return store && isWithin(range, entry.at) ? [itemOf(entry, store)] : [];
  });
  return { items: shown, next };
}

/** An entry that the caller sees, stored and as in an answer. Throws `unknown_…` with the kind. */
export async function visibleEntry(
  { kind, itemOf }: ShownEntries,
  db: Kysely<unknown>,
  caller: Caller,
  id: string,
) {
  const stores = await storeFacts(db, caller);
  const storeIds = stores.map((store) => store.id);
  const entry = /^\d{1,15}$/.test(id) ? await findEntry(db, kind, storeIds, id) : undefined;
  const store = stores.find((one) => one.id === entry?.store_id);
  if (entry === undefined || store === undefined) throw unknownResource(kind, 'id');
  return { entry, item: itemOf(entry, store) };
}

/** From one instant to another, which is not included (epoch ms). */
interface Instants {
  readonly from: number;
  readonly to: number;
}

/** The business days of a store from `from` to `to`; without one of them all before, or after. */
function instantsOf(
  { calendar }: StoreFacts,
  { from, to }: { readonly from?: string; readonly to?: string },
): Instants {
  return {
    from: from === undefined ? 0 : businessDayStart(from, calendar),
    to: to === undefined ? Number.POSITIVE_INFINITY : businessDayStart(addDays(to, 1), calendar),
  };
}

/** The shortest time that contains all of these. */
function hull(ranges: readonly Instants[]): Instants {
  return {
    from: Math.min(...ranges.map(({ from }) => from)),
    to: Math.max(...ranges.map(({ to }) => to)),
  };
}

function isWithin(range: Instants | undefined, instant: number): boolean {
  return range !== undefined && instant >= range.from && instant < range.to;
}
