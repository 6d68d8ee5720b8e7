import type { EntryQuery } from '@visitor-counter/database/entries/entries';
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

/** An entry as it is stored. */
interface Entry {
  /** 64-bit numbers arrive as text. */
  readonly id: string;
  readonly store_id: number;
  /** Epoch ms. */
  readonly at: number;
}

/** How entries of one kind are read, and how an answer has them. */
export interface EntryKind<Stored extends Entry> {
  readonly name: 'correction' | 'passage';
  list(db: Kysely<unknown>, wanted: EntryQuery): Promise<readonly Stored[]>;
  /** The entry of one of the stores with this id; undefined if there is none. */
  find(db: Kysely<unknown>, storeIds: readonly number[], id: string): Promise<Stored | undefined>;
  itemOf(entry: Stored, store: StoreFacts): object;
}

/** A page of the entries that a query asks for, the last entered first. */
export async function pageOfEntries<Stored extends Entry>(
  kind: EntryKind<Stored>,
  db: Kysely<unknown>,
  caller: Caller,
  query: Static<typeof entriesQuery>,
) {
  const { after: before, limit: requested = mostItems } = query;
  requireOrder(query);
  const stores = await requestedStores(db, caller, query.store);
  const byId = new Map(stores.map((store) => [store.id, { store, range: instantsOf(store, query) }]));
  const wanted = { ...hull([...byId.values()].map(({ range }) => range)), before, limit: requested + 1 };
  const found = await kind.list(db, { ...wanted, storeIds: [...byId.keys()] });
  const { items, next } = firstPage(found, requested, ({ id }) => id);
  const shown = items.flatMap((entry) => {
    const { store, range } = byId.get(entry.store_id) ?? {};
    return store && isWithin(range, entry.at) ? [kind.itemOf(entry, store)] : [];
  });
  return { items: shown, next };
}

/** An entry that the caller sees, stored and as in an answer. Throws `unknown_…` with the name of the kind. */
export async function visibleEntry<Stored extends Entry>(
  kind: EntryKind<Stored>,
  db: Kysely<unknown>,
  caller: Caller,
  id: string,
) {
  const stores = await storeFacts(db, caller);
  const storeIds = stores.map((store) => store.id);
  const entry = /^\d{1,15}$/.test(id) ? await kind.find(db, storeIds, id) : undefined;
  const store = stores.find((one) => one.id === entry?.store_id);
  if (entry === undefined || store === undefined) throw unknownResource(kind.name, 'id');
  return { entry, item: kind.itemOf(entry, store) };
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
