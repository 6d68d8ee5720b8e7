import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { type Author, recordAudit, storeConcerned } from '../audit/record-audit.ts';
import { quarterOf } from '../occupancy/quarter.ts';
import { markQuarters } from '../projection/projection.ts';
import { requireCrossings } from '../retention/retention.ts';
import { numberArray } from '../sql/arrays.ts';
import { epochMs, timestamp } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';

/**
 * What staff enter for a store, with an instant: how many people were inside (`correction`), or how many of the staff came in
 * (`passage`). An entry is never changed; it can be undone once, by another entry.
 */
export type EntryKind = 'correction' | 'passage';

/** The table of each kind, and its name in the audit log. All tables have the same columns. */
const kinds = {
  correction: { table: sql.table('correction'), name: 'correction' },
  passage: { table: sql.table('staff_passage'), name: 'staff passage' },
} as const;

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
export async function enterEntry(db: Kysely<DB>, kind: EntryKind, entry: NewEntry): Promise<string> {
  const { storeId, at, people, author, note, credentialId, key = null } = entry;
  return await db.transaction().execute(async (trx) => {
    if (kind === 'correction') await requireCrossings(trx, { storeId }, at);
    const { rows } = await sql<{ id: string }>`
      insert into ${kinds[kind].table} (store_id, at, people, entered_by, note, credential_id, key, entered_at)
      values (${storeId}, ${timestamp(at)}, ${people}, ${author.name}, ${note ?? ''}, ${credentialId}, ${key},
        ${enteredAt(entry)})
      on conflict (credential_id, key) do nothing returning id`.execute(trx);
    const id = rows[0]?.id;
    if (id === undefined) return await idOfKey(trx, kind, entry);
    const details = { at: timestamp(at), people, note };
    await recordEntry(trx, kind, { id, storeId, at, author, action: 'entered', details });
    return id;
  });
}

/**
 * When an entry is entered: now by the database's clock. One that got the present instant because its client gave a later one
 * is entered at that instant: then every instant after it is ahead, however the clocks of the machines differ.
 */
function enteredAt({ at, givenAt }: NewEntry) {
  return givenAt !== undefined && givenAt > at ? sql`${timestamp(at)}::timestamptz` : sql`now()`;
}

/** The id of the entry that was entered under the key of `entry`. Throws KeyConflict. */
async function idOfKey(trx: Kysely<DB>, kind: EntryKind, entry: NewEntry): Promise<string> {
  const { storeId, people, author, note = '', credentialId, key = '', givenAt } = entry;
  const { rows } = await facts(
    kind,
    sql`entry.credential_id = ${credentialId} and entry.key = ${key}`,
  ).execute(trx);
  const [known] = rows;
  const isSame =
    known?.storeId === storeId &&
    known.people === people &&
    known.enteredBy === author.name &&
    known.note === note &&
    /* A client that gives no instant, or one ahead of the server's clock, gets the instant of the entry. */
    (givenAt === undefined || givenAt === known.at || givenAt > known.enteredAt);
  if (!isSame) throw new KeyConflict(`a ${kinds[kind].name} with this key and other content exists`);
  return known.id;
}

/** Undoes an entry by another one; false when it was undone before. Throws CrossingsRemoved like `enterEntry`. */
export async function undoEntry(
  db: Kysely<DB>,
  kind: EntryKind,
  { id, storeId, at }: Pick<EntryFacts, 'id' | 'storeId' | 'at'>,
  { author, note, credentialId }: Entry,
): Promise<boolean> {
  return await db.transaction().execute(async (trx) => {
    if (kind === 'correction') await requireCrossings(trx, { storeId }, at);
    const { rows: undone } = await sql`
      insert into ${kinds[kind].table} (store_id, at, undoes, entered_by, note, credential_id)
      values (${storeId}, ${timestamp(at)}, ${id}, ${author.name}, ${note ?? ''}, ${credentialId})
      on conflict (undoes) do nothing returning id`.execute(trx);
    if (undone.length === 0) return false;
    await recordEntry(trx, kind, { id, storeId, at, author, action: 'undone', details: { note } });
    return true;
  });
}

interface RecordedEntry {
  readonly id: string;
  readonly storeId: number;
  readonly at: number;
  readonly author: Author;
  readonly action: 'entered' | 'undone';
  readonly details: object;
}

/** Records an entry in the audit log, and marks the quarter hour of a correction. */
async function recordEntry(
  trx: Transaction<DB>,
  kind: EntryKind,
  { id, storeId, at, author, action, details }: RecordedEntry,
): Promise<void> {
  if (kind === 'correction') await markQuarters(trx, [{ storeId, quarter: quarterOf(at) }]);
  await recordAudit(trx, author, {
    ...(await storeConcerned(trx, storeId)),
    action: `${kinds[kind].name} ${action}`,
    details: { [kind]: Number(id), ...details },
  });
}

/** An entry, and how it was undone, if it was. Instants are epoch ms. */
export interface EntryFacts {
  /** 64-bit numbers arrive as text. */
  readonly id: string;
  readonly storeId: number;
  readonly at: number;
  readonly people: number;
  readonly enteredBy: string;
  readonly note: string;
  readonly enteredAt: number;
  /** The label of the credential. */
  readonly credential: string | null;
  readonly undoneBy: string | null;
  readonly undoneNote: string | null;
  readonly undoneAt: number | null;
  readonly undoneCredential: string | null;
}

interface EntryQuery {
  /** The instants (epoch ms) of each store, `to` exclusive. */
  readonly stores: readonly { readonly id: number; readonly from: number; readonly to: number }[];
  /** Only those with a lower id. */
  readonly before: string | undefined;
  readonly limit: number;
}

/** The entries of stores, undone ones too, the last entered first. */
export async function listEntries(
  db: Kysely<DB>,
  kind: EntryKind,
  { stores, before, limit }: EntryQuery,
): Promise<EntryFacts[]> {
  const { rows } = await facts(
    kind,
    sql`exists (
      select from unnest(
        ${stores.map(({ id }) => id)}::integer[],
        ${stores.map(({ from }) => timestamp(from))}::timestamptz[],
        ${stores.map(({ to }) => timestamp(to))}::timestamptz[]
      ) as range(store_id, first, after)
      where range.store_id = entry.store_id and entry.at >= range.first and entry.at < range.after
    ) and entry.id < coalesce(${before ?? null}::bigint, 9223372036854775807)
    order by entry.id desc limit ${limit}`,
  ).execute(db);
  return rows;
}

/** The entry of one of the stores with this id; undefined if there is none. */
export async function findEntry(
  db: Kysely<DB>,
  kind: EntryKind,
  storeIds: readonly number[],
  id: string,
): Promise<EntryFacts | undefined> {
  const isOne = sql`entry.id = ${id}::bigint and entry.store_id = any(${numberArray(storeIds)}::integer[])`;
  const { rows } = await facts(kind, isOne).execute(db);
  return rows[0];
}

function facts(kind: EntryKind, condition: RawBuilder<unknown>): RawBuilder<EntryFacts> {
  const { table } = kinds[kind];
  return sql<EntryFacts>`
    select entry.id, entry.store_id, ${epochMs('entry.at')} as at, entry.people, entry.entered_by, entry.note,
      ${epochMs('entry.entered_at')} as entered_at, credential.label as credential, undo.entered_by as undone_by,
      undo.note as undone_note, ${epochMs('undo.entered_at')} as undone_at, undoer.label as undone_credential
    from ${table} entry
    left join credential on credential.id = entry.credential_id
    left join ${table} undo on undo.undoes = entry.id
    left join credential undoer on undoer.id = undo.credential_id
    where entry.people is not null and ${condition}`;
}
