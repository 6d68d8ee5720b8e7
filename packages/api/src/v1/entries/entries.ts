import {
  type Entry,
  type EntryFacts,
  type EntryKind,
  enterEntry,
  findEntry,
  KeyConflict,
  listEntries,
  undoEntry,
} from '@visitor-counter/database/entries/entries';
import { CrossingsRemoved } from '@visitor-counter/database/retention/retention';
import type { DB } from '@visitor-counter/database/sql/schema';
import { type StoreFacts, storeFacts } from '@visitor-counter/database/stores/stores';
import {
  type BusinessCalendar,
  businessDayStart,
  onceForEachCalendar,
} from '@visitor-counter/domain/business-day';
import { parseInstant } from '@visitor-counter/domain/time';
import { addDays } from '@visitor-counter/domain/time-zone';
import type { Kysely } from 'kysely';
import Type, { type Static } from 'typebox';
import type { Caller } from '../../access/callers.ts';
import { crossingsRemoved, invalidParameter, Problem, unknownResource } from '../../problems/problems.ts';
import type { RouteRequest, RouteResources } from '../routing/route.ts';
import { afterEntry, day, idIn, limit, readPage, requireOrder, storeFilter } from '../routing/shapes.ts';
import { requestedStores, storeOf } from '../stores/requested-stores.ts';

/* What entries that staff make have in common: corrections, staff passages, and in part audits of doors. */

/** Who makes an entry. */
export const personName = Type.String({
  description: 'a name of 1 to 200 characters',
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
});

export const entryNote = Type.Optional(
  Type.String({
    description: 'text of at most 2,000 characters',
    maxLength: 2_000,
    contentMediaType: 'text/plain',
  }),
);

const whenExpected = 'an RFC 3339 date-time with offset, from 1970 on and at most five minutes ahead of now';

/** How far the clock of a client may be ahead (ms); such an instant counts as now. */
const mostAhead = 5 * 60_000;

/** When an entry was made, and what the client calls it. */
export const entryKeyFields = {
  at: Type.Optional(Type.String({ description: whenExpected })),
  id: Type.Optional(
    Type.String({
      description:
        'text of 1 to 100 characters that the client makes for this entry, so that the same request again enters nothing',
      minLength: 1,
      maxLength: 100,
    }),
  ),
};

/** The instant of an entry (epoch ms), and the one that was given. Throws `invalid_parameter`. */
function readInstant(given: string | undefined, now: number) {
  if (given === undefined) return { at: now, givenAt: undefined };
  const givenAt = parseInstant(given);
  if (givenAt === undefined || givenAt > now + mostAhead || givenAt < 0)
    throw invalidParameter('at', given, whenExpected);
  return { at: Math.min(givenAt, now), givenAt };
}

/** Throws `id_conflict` for an id that another entry has, and `crossings_removed` where the crossings were removed. */
export function refused(parameter: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof KeyConflict) throw new Problem('id_conflict');
    throw error instanceof CrossingsRemoved ? crossingsRemoved(error.before, parameter) : error;
  };
}

/** The query of a list of entries: those of one store or of all, of business days. */
export const entriesQuery = Type.Object({
  store: storeFilter,
  from: day,
  to: day,
  limit: limit(),
  after: afterEntry,
});

/** How answers show the entries of a kind. */
export interface ShownEntries {
  readonly kind: EntryKind;
  itemOf(entry: EntryFacts, store: StoreFacts): object;
}

/** Who makes an entry, by default the credential, and their note. */
interface Declaration {
  readonly by?: string;
  readonly note?: string;
}

interface NewEntry extends Declaration {
  readonly store: string;
  readonly people: number;
  readonly at?: string;
  readonly id?: string;
}

type EntryRequest<Body> = Pick<RouteRequest<unknown, Body>, 'caller' | 'author' | 'path' | 'body'>;

/** Enters a number of people for a store, and returns the entry as an answer has it. Throws what `refused` throws. */
export async function enter(
  shown: ShownEntries,
  request: EntryRequest<NewEntry>,
  { database: { kysely }, now }: RouteResources,
): Promise<object> {
  const { caller, body } = request;
  const instants = readInstant(body.at, now());
  const { id: storeId } = storeOf(await storeFacts(kysely, caller), body.store);
  const entry = { ...entryOf(request), ...instants, storeId, people: body.people, key: body.id };
  const id = await enterEntry(kysely, shown.kind, entry).catch(refused('at'));
  return (await visibleEntry(shown, kysely, caller, id)).item;
}

/** Undoes the entry whose id is in the path; both entries remain. Throws `already_undone`, and what `refused` throws. */
export async function undo(
  shown: ShownEntries,
  request: EntryRequest<Declaration>,
  { database: { kysely } }: RouteResources,
): Promise<object> {
  const { caller, path } = request;
  const { entry } = await visibleEntry(shown, kysely, caller, numberIn(path['id']));
  const undone = await undoEntry(kysely, shown.kind, entry, entryOf(request)).catch(refused('id'));
  if (!undone) throw new Problem('already_undone');
  return (await visibleEntry(shown, kysely, caller, entry.id)).item;
}

/** The number of an entry in a path; 0, which no entry has, for other texts. */
function numberIn(id = ''): number {
  return /^\d{1,15}$/.test(id) ? Number(id) : 0;
}

function entryOf({ caller, author, body: { by, note } }: EntryRequest<Declaration>): Entry {
  const person = by === undefined ? author : { ...author, name: by.trim() };
  return {
    author: person,
    credentialId: caller.credentialId,
    ...(note !== undefined && { note: note.trim() }),
  };
}

/** An entry that the caller sees, stored and as in an answer. Throws `unknown_…` with the kind. */
async function visibleEntry({ kind, itemOf }: ShownEntries, db: Kysely<DB>, caller: Caller, id: number) {
  const stores = await storeFacts(db, caller);
  const storeIds = stores.map((store) => store.id);
  const entry = await findEntry(db, kind, storeIds, id);
  const store = stores.find((one) => one.id === entry?.storeId);
  if (entry === undefined || store === undefined) throw unknownResource(kind, 'id');
  return { entry, item: itemOf(entry, store) };
}

/** A page of the entries that a query asks for, the last entered first. */
export async function pageOfEntries(
  { kind, itemOf }: ShownEntries,
  db: Kysely<DB>,
  caller: Caller,
  query: Static<typeof entriesQuery>,
) {
  requireOrder(query);
  const stores = await requestedStores(db, caller, query.store);
  const rangeOf = onceForEachCalendar((calendar) => instantsOf(calendar, query));
  const ranges = stores.all.map(({ id, calendar }) => ({ id, ...rangeOf(calendar) }));
  const { items, next } = await readPage(
    (limit) => listEntries(db, kind, { stores: ranges, before: idIn(query.after), limit }),
    ({ id }) => String(id),
    query.limit,
  );
  return { items: items.map((entry) => itemOf(entry, stores.of(entry.storeId))), next };
}

/** From one instant to another, which is not included (epoch ms). */
interface Instants {
  readonly from: number;
  readonly to: number;
}

/** The business days of a store from `from` to `to`; without one of them all before, or after. */
function instantsOf(
  calendar: BusinessCalendar,
  { from, to }: { readonly from?: string; readonly to?: string },
): Instants {
  return {
    from: from === undefined ? 0 : businessDayStart(from, calendar),
    to: to === undefined ? Number.POSITIVE_INFINITY : businessDayStart(addDays(to, 1), calendar),
  };
}
