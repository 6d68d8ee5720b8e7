import type { Author } from '@visitor-counter/database/audit/audit-log';
import {
  type EntryFacts,
  type EntryKind,
  enterEntry,
  findEntry,
  listEntries,
  undoEntry,
} from '@visitor-counter/database/entries/entries';
import { untilProjected } from '@visitor-counter/database/projection/projection';
import type { Db } from '@visitor-counter/database/sql/query-builder';
import { type StoreFacts, storeFacts } from '@visitor-counter/database/stores/store-facts';
import { type BusinessCalendar, businessDayStart } from '@visitor-counter/domain/business-day';
import { addDays } from '@visitor-counter/domain/time-zone';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import Type, { type TObject } from 'typebox';
import type { Caller } from '../../access/callers.ts';
import { Problem, unknownResource } from '../../problems/problems.ts';
import { columnsOf } from '../routing/list-columns.ts';
import { afterEntry, idIn, limit, listOf, readPage } from '../routing/pages.ts';
import { route } from '../routing/route.ts';
import { day, noOtherFields, requireOrder, storeFilter, storeSid } from '../routing/shapes.ts';
import { requestedStores, storeOf } from '../stores/requested-stores.ts';
import { entryKeyFields, entryNote, personName, readInstant, refused } from './entry-fields.ts';

/** A kind of entry in the interface. */
interface ShownEntries {
  readonly kind: EntryKind;
  readonly path: string;
  /** What its routes do. */
  readonly summaries: Readonly<Record<'list' | 'enter' | 'undo', string>>;
  /** The number of people in a request. */
  readonly least: number;
  readonly most: number;
  /** Whether a person signs it with their name, and a note if they like; otherwise both it and the number may be left out. */
  readonly isSigned: boolean;
  readonly shape: TObject;
  /** Fields of the shape that are no columns of files. */
  readonly hidden: readonly string[];
  itemOf(entry: EntryFacts, store: string, format: (instant: number) => string): object;
}

/**
 * The routes that list the entries of a kind, enter one, and undo one; both entries remain. What is entered is answered when
 * numbers that are read next contain it.
 */
export function entryRoutes(shown: ShownEntries) {
  const { kind, path, summaries, least, most, isSigned, shape, hidden } = shown;
  const people = Type.Integer({
    description: `a whole number from ${least} to ${most}`,
    minimum: least,
    maximum: most,
  });
  const signature = isSigned ? { by: personName, note: entryNote } : { by: Type.Optional(personName) };
  const entered = { store: storeSid, people: isSigned ? people : Type.Optional(people), ...entryKeyFields };
  const change = { method: 'POST', kinds: ['staff'], answer: shape } as const;
  return {
    list: route(
      {
        method: 'GET',
        path,
        summary: summaries.list,
        kinds: ['counts', 'staff'],
        query: Type.Object({ store: storeFilter, from: day, to: day, limit: limit(), after: afterEntry }),
        answer: listOf(shape),
        columns: columnsOf(shape, ...hidden),
      },
      async ({ caller, query }, { database: { kysely } }) => {
        requireOrder(query);
        const stores = await requestedStores(kysely, caller, query.store);
        const ranges = stores.all.map(({ id, calendar }) => ({ id, ...instantsOf(calendar, query) }));
        const { items, next } = await readPage(
          (limit) => listEntries(kysely, kind, { stores: ranges, before: idIn(query.after), limit }),
          ({ id }) => String(id),
          query.limit,
        );
        return { items: items.map((entry) => itemOf(shown, entry, stores.all)), next };
      },
    ),
    enter: route(
      {
        ...change,
        path,
        summary: summaries.enter,
        status: 201,
        body: Type.Object({ ...entered, ...signature }, noOtherFields),
      },
      async ({ caller, author, body }, { database: { kysely }, now }) => {
        const instants = readInstant(body.at, now());
        const stores = await storeFacts(kysely, caller);
        const { id: storeId } = storeOf(stores, body.store);
        const entry = { storeId, people: body.people ?? 1, key: body.id, ...instants };
        const signed = signedBy(caller, author, body);
        const id = await enterEntry(kysely, kind, { ...signed, ...entry }).catch(refused('at'));
        await untilProjected(kysely, storeId);
        return (await entryOf(shown, kysely, stores, id)).item;
      },
    ),
    undo: route(
      {
        ...change,
        path: `${path}/:id/undo`,
        summary: summaries.undo,
        body: Type.Object(signature, noOtherFields),
      },
      async ({ caller, author, body, path: { id = '' } }, { database: { kysely } }) => {
        /* No entry has the number 0. */
        const number = /^\d{1,15}$/.test(id) ? Number(id) : 0;
        const stores = await storeFacts(kysely, caller);
        const { entry } = await entryOf(shown, kysely, stores, number);
        const signed = signedBy(caller, author, body);
        if (!(await undoEntry(kysely, kind, entry, signed).catch(refused('id'))))
          throw new Problem('already_undone');
        await untilProjected(kysely, entry.storeId);
        return (await entryOf(shown, kysely, stores, entry.id)).item;
      },
    ),
  };
}

/** Who makes an entry, by default the credential, and their note. */
function signedBy(
  { credentialId }: Caller,
  author: Author,
  { by = author.name, note = '' }: { readonly by?: string; readonly note?: unknown },
) {
  return { author: { ...author, name: by.trim() }, note: String(note).trim(), credentialId };
}

/** An entry of one of the stores, stored and as in an answer. Throws `unknown_…` with the kind. */
async function entryOf(shown: ShownEntries, db: Db, stores: readonly StoreFacts[], id: number) {
  const ids = stores.map((store) => store.id);
  const entry = await findEntry(db, shown.kind, ids, id);
  if (entry === undefined) throw unknownResource(shown.kind, 'id');
  return { entry, item: itemOf(shown, entry, stores) };
}

function itemOf(shown: ShownEntries, entry: EntryFacts, stores: readonly StoreFacts[]): object {
  const store = stores.find(({ id }) => id === entry.storeId);
  return shown.itemOf(entry, store?.sid ?? '', zonedFormatter(store?.calendar.timeZone ?? 'UTC'));
}

/** The business days of a store from `from` to `to`, as instants (epoch ms); without one of them all before, or after. */
function instantsOf(
  calendar: BusinessCalendar,
  { from, to }: { readonly from?: string; readonly to?: string },
) {
  return {
    from: from === undefined ? 0 : businessDayStart(from, calendar),
    to: to === undefined ? Number.POSITIVE_INFINITY : businessDayStart(addDays(to, 1), calendar),
  };
}
