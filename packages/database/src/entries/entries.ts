import { type NotNull, sql } from 'kysely';
import { type Author, concerned, recordAudit } from '../audit/audit-log.ts';
import { quarterOf } from '../occupancy/quarter.ts';
import { markQuarters } from '../projection/projection.ts';
import { requireCrossings } from '../retention/retention.ts';
import {
  anyOf,
  type Db,
  instant,
  instants,
  integers,
  type Transaction,
  timestamp,
} from '../sql/query-builder.ts';

/**
 * What staff enter for a store, with an instant: how many people were inside (`correction`), or how many of the staff came in
 * (`passage`). An entry is never changed; it can be undone once, by another entry.
 */
export type EntryKind = 'correction' | 'passage';

/** The name of each kind in the audit log. */
const names = { correction: 'correction', passage: 'staff passage' } as const;

/** An entry exists that has the key of a new one, which identifies it, and other content. */
export class KeyConflict extends Error {
  override readonly name = 'KeyConflict';
  readonly code = 'key-conflict';
}

/** Who makes an entry, with which credential, and their note. */
export interface Entry {
  readonly author: Author;
  readonly note?: string;
  readonly credentialId: number;
}

interface NewEntry extends Entry {
  readonly storeId: number;
  /** Epoch ms. */
  readonly at: number;
  readonly people: number;
  /** What the client calls the entry: the same key of a credential again enters nothing. */
  readonly key?: string | undefined;
  /** The instant that the client gave, if it gave one. */
  readonly givenAt?: number | undefined;
}

/**
 * Enters a number of people and returns the entry's id, or that of the entry that exists for its key. Throws KeyConflict if that
 * one has other content, and for a correction CrossingsRemoved for an instant before the horizon of the company.
 */
export async function enterEntry(db: Db, kind: EntryKind, entry: NewEntry): Promise<number> {
  const { storeId, at, people, author, note, credentialId, key = null } = entry;
  return await db.transaction().execute(async (trx) => {
    if (kind === 'correction') await requireCrossings(trx, { storeId }, at);
    const inserted = await trx
      .insertInto('entry')
      .values({
        kind,
        storeId,
        at: instant(at),
        people,
        enteredBy: author.name,
        note,
        credentialId,
        key,
        enteredAt: enteredAt(entry),
      })
      .onConflict((known) => known.columns(['credentialId', 'kind', 'key']).doNothing())
      .returning('id')
      .executeTakeFirst();
    const id = inserted?.id;
    if (id === undefined) return await idOfKey(trx, kind, entry);
    const details = { at: timestamp(at), people, note };
    await recordEntry(trx, author, kind, { id, storeId, at }, 'entered', details);
    return id;
  });
}

/**
 * When an entry is entered: now by the database's clock. One that got the present instant because its client gave a later one
 * is entered at that instant: then every instant after it is ahead, however the clocks of the machines differ.
 */
function enteredAt({ at, givenAt }: NewEntry) {
  return givenAt !== undefined && givenAt > at ? instant(at) : sql<number>`now()`;
}

/** The id of the entry that was entered under the key of `entry`. Throws KeyConflict. */
async function idOfKey(trx: Db, kind: EntryKind, entry: NewEntry): Promise<number> {
  const { storeId, people, author, note = '', credentialId, key = '', givenAt } = entry;
  const known = await facts(trx, kind)
    .where('entry.credentialId', '=', credentialId)
    .where('entry.key', '=', key)
    .executeTakeFirst();
  const isSame =
    known?.storeId === storeId &&
    known.people === people &&
    known.enteredBy === author.name &&
    known.note === note &&
    /* A client that gives no instant, or one ahead of the server's clock, gets the instant of the entry. */
    (givenAt === undefined || givenAt === known.at || givenAt > known.enteredAt);
  if (!isSame) throw new KeyConflict(`a ${names[kind]} with this key and other content exists`);
  return known.id;
}

/** Undoes an entry by another one; false when it was undone before. Throws CrossingsRemoved like `enterEntry`. */
export async function undoEntry(
  db: Db,
  kind: EntryKind,
  { id, storeId, at }: Pick<EntryFacts, 'id' | 'storeId' | 'at'>,
  { author, note, credentialId }: Entry,
): Promise<boolean> {
  return await db.transaction().execute(async (trx) => {
    if (kind === 'correction') await requireCrossings(trx, { storeId }, at);
    const undone = await trx
      .insertInto('entry')
      .values({ kind, storeId, at: instant(at), undoes: id, enteredBy: author.name, note, credentialId })
      .onConflict((known) => known.column('undoes').doNothing())
      .returning('id')
      .executeTakeFirst();
    if (undone === undefined) return false;
    await recordEntry(trx, author, kind, { id, storeId, at }, 'undone', { note });
    return true;
  });
}

/** Records an entry in the audit log, and marks the quarter hour of a correction. */
async function recordEntry(
  trx: Transaction,
  author: Author,
  kind: EntryKind,
  { id, storeId, at }: Pick<EntryFacts, 'id' | 'storeId' | 'at'>,
  action: 'entered' | 'undone',
  details: object,
): Promise<void> {
  if (kind === 'correction') await markQuarters(trx, [{ storeId, quarter: quarterOf(at) }]);
  await recordAudit(trx, author, {
    ...(await concerned(trx, 'store', storeId)),
    action: `${names[kind]} ${action}`,
    details: { [kind]: id, ...details },
  });
}

/** An entry, and how it was undone, if it was. Instants are epoch ms; credentials are given by their labels. */
export type EntryFacts = Awaited<ReturnType<ReturnType<typeof facts>['executeTakeFirstOrThrow']>>;

interface EntryQuery {
  /** The instants (epoch ms) of each store, `to` exclusive. */
  readonly stores: readonly { readonly id: number; readonly from: number; readonly to: number }[];
  /** Only those with a lower id. */
  readonly before: number | undefined;
  readonly limit: number;
}

/** The entries of stores, undone ones too, the last entered first. */
export async function listEntries(
  db: Db,
  kind: EntryKind,
  { stores, before, limit }: EntryQuery,
): Promise<EntryFacts[]> {
  return await facts(db, kind)
    .where(
      sql<boolean>`exists (
        select from unnest(
          ${integers(stores.map(({ id }) => id))},
          ${instants(stores.map(({ from }) => from))},
          ${instants(stores.map(({ to }) => to))}
        ) as range(store_id, first, after)
        where range.store_id = entry.store_id and entry.at >= range.first and entry.at < range.after
      )`,
    )
    .$if(before !== undefined, (entries) => entries.where('entry.id', '<', before ?? 0))
    .orderBy('entry.id', 'desc')
    .limit(limit)
    .execute();
}

/** The entry of one of the stores with this id; undefined if there is none. */
export async function findEntry(
  db: Db,
  kind: EntryKind,
  storeIds: readonly number[],
  id: number,
): Promise<EntryFacts | undefined> {
  return await facts(db, kind)
    .where('entry.id', '=', id)
    .where('entry.storeId', '=', anyOf(storeIds))
    .executeTakeFirst();
}

function facts(db: Db, kind: EntryKind) {
  return db
    .selectFrom('entry')
    .leftJoin('credential', 'credential.id', 'entry.credentialId')
    .leftJoin('entry as undo', 'undo.undoes', 'entry.id')
    .leftJoin('credential as undoer', 'undoer.id', 'undo.credentialId')
    .select(['entry.id', 'entry.storeId', 'entry.at', 'entry.people', 'entry.enteredBy', 'entry.note'])
    .select(['entry.enteredAt', 'credential.label as credential', 'undo.enteredBy as undoneBy'])
    .select(['undo.note as undoneNote', 'undo.enteredAt as undoneAt', 'undoer.label as undoneCredential'])
    .where('entry.kind', '=', kind)
    .where('entry.people', 'is not', null)
    .$narrowType<{ people: NotNull }>();
}
