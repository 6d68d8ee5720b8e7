import type { StaffPassage } from '@visitor-counter/domain/staff-plan';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Author, recordAudit, storeConcerned } from '../audit/record-audit.ts';
import { type EntryQuery, enteredAt, isSameInstant, KeyConflict } from '../entries/entries.ts';
import { numberArray } from '../sql/arrays.ts';
import { epochMs, timestamp } from '../sql/instant.ts';

/** The staff passages of stores that were tapped from one instant to another (epoch ms) and not undone, in order. */
export async function staffPassagesOf(
  db: Kysely<unknown>,
  storeIds: readonly number[],
  from: number,
  to: number,
): Promise<ReadonlyMap<number, readonly StaffPassage[]>> {
  const { rows } = await sql<StaffPassage & { storeId: number }>`
    select store_id as "storeId", ${epochMs('at')} as at, people from staff_passage_in_force
    where store_id = any(${numberArray(storeIds)}::integer[])
      and at >= ${timestamp(from)}::timestamptz and at < ${timestamp(to)}::timestamptz
    order by store_id, at, id`.execute(db);
  return Map.groupBy(rows, ({ storeId }) => storeId);
}

interface NewStaffPassage {
  readonly storeId: number;
  /** Epoch ms. */
  readonly at: number;
  readonly people: number;
  readonly author: Author;
  readonly credentialId: number;
  /** What the client calls the entry: the same key of a credential again enters nothing. */
  readonly key?: string | undefined;
  /** The instant that the client gave, if it gave one. */
  readonly givenAt?: number | undefined;
}

/**
 * Enters staff who came in and returns the entry's id, or that of the entry that exists for its key. Throws KeyConflict
 * if that one has other content.
 */
export async function enterStaffPassage(db: Kysely<unknown>, entry: NewStaffPassage): Promise<string> {
  const { storeId, at, people, author, credentialId, key = null } = entry;
  return await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ id: string }>`
      insert into staff_passage (store_id, at, people, entered_by, credential_id, key, entered_at)
      values (${storeId}, ${timestamp(at)}, ${people}, ${author.name}, ${credentialId}, ${key}, ${enteredAt(entry)})
      on conflict (credential_id, key) do nothing returning id`.execute(trx);
    const id = rows[0]?.id;
    if (id === undefined) return await passageOfKey(trx, entry);
    await recordAudit(trx, author, {
      ...(await storeConcerned(trx, storeId)),
      action: 'staff passage entered',
      details: { passage: Number(id), at: timestamp(at), people },
    });
    return id;
  });
}

/** The id of the staff passage that was entered under the key of `entry`. Throws KeyConflict. */
async function passageOfKey(trx: Kysely<unknown>, entry: NewStaffPassage): Promise<string> {
  const { storeId, people, author, credentialId, key = '', givenAt } = entry;
  const { rows } = await facts(sql`passage.credential_id = ${credentialId} and passage.key = ${key}`).execute(
    trx,
  );
  const [known] = rows;
  const isSame =
    known?.store_id === storeId &&
    known.people === people &&
    known.entered_by === author.name &&
    isSameInstant(givenAt, known);
  if (!isSame) throw new KeyConflict('a staff passage with this key and other content exists');
  return known.id;
}

/** Undoes a staff passage by another entry; false when it was undone before. */
export async function undoStaffPassage(
  db: Kysely<unknown>,
  { id, store_id: storeId, at }: Pick<StaffPassageFacts, 'id' | 'store_id' | 'at'>,
  author: Author,
  credentialId: number,
): Promise<boolean> {
  return await db.transaction().execute(async (trx) => {
    const { rows: undone } = await sql`
      insert into staff_passage (store_id, at, undoes, entered_by, credential_id)
      values (${storeId}, ${timestamp(at)}, ${id}, ${author.name}, ${credentialId})
      on conflict (undoes) do nothing returning id`.execute(trx);
    if (undone.length === 0) return false;
    const details = { passage: Number(id) };
    await recordAudit(trx, author, {
      ...(await storeConcerned(trx, storeId)),
      action: 'staff passage undone',
      details,
    });
    return true;
  });
}

/** A staff passage, and who undid it, if anybody did. Instants are epoch ms. */
export interface StaffPassageFacts extends StaffPassage {
  /** 64-bit numbers arrive as text. */
  readonly id: string;
  readonly store_id: number;
  readonly entered_by: string;
  readonly entered_at: number;
  readonly undone_by: string | null;
}

/** The staff passages of stores, undone ones too, the last entered first. */
export async function listStaffPassages(
  db: Kysely<unknown>,
  query: EntryQuery,
): Promise<StaffPassageFacts[]> {
  const { storeIds, from, to, before, limit } = query;
  const { rows } = await facts(sql`
    passage.store_id = any(${numberArray(storeIds)}::integer[])
      and passage.at >= ${timestamp(from)}::timestamptz and passage.at < ${timestamp(to)}::timestamptz
      and passage.id < coalesce(${before ?? null}::bigint, 9223372036854775807)
    order by passage.id desc limit ${limit}`).execute(db);
  return rows;
}

/** The staff passage of one of the stores with this id; undefined if there is none. */
export async function findStaffPassage(
  db: Kysely<unknown>,
  storeIds: readonly number[],
  id: string,
): Promise<StaffPassageFacts | undefined> {
  const { rows } = await facts(sql`
    passage.id = ${id}::bigint and passage.store_id = any(${numberArray(storeIds)}::integer[])`).execute(db);
  return rows[0];
}

function facts(condition: RawBuilder<unknown>): RawBuilder<StaffPassageFacts> {
  return sql<StaffPassageFacts>`
    select passage.id, passage.store_id, ${epochMs('passage.at')} as at, passage.people, passage.entered_by,
      ${epochMs('passage.entered_at')} as entered_at, undo.entered_by as undone_by
    from staff_passage passage
    left join staff_passage undo on undo.undoes = passage.id
    where passage.people is not null and ${condition}`;
}
