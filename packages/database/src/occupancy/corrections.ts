import type { Correction } from '@visitor-counter/domain/occupancy';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Author, recordAudit, storeConcerned } from '../audit/record-audit.ts';
import type { StoreRange } from '../crossings/crossings.ts';
import { type EntryQuery, enteredAt, isSameInstant, KeyConflict } from '../entries/entries.ts';
import { requireCrossings } from '../retention/removed-before.ts';
import { numberArray, numberColumns } from '../sql/arrays.ts';
import { epochMs, timestamp } from '../sql/instant.ts';
import { type Connection, runStatement } from '../sql/run-statement.ts';
import { recordRewrites } from './change.ts';
import { quarterOf } from './quarter.ts';

/** A correction that was not undone, and who entered it. */
export interface CorrectionInForce extends Correction {
  readonly by: string;
}

/** The corrections in each range, in the order in which they take effect; those that were undone are left out. */
export async function correctionsInForce(
  connection: Connection,
  ranges: readonly StoreRange[],
): Promise<readonly (readonly CorrectionInForce[])[]> {
  if (ranges.length === 0) return [];
  const rows = await runStatement<CorrectionInForce & { index: number }>(
    connection,
    'read-corrections',
    statement,
    [numberArray(ranges.map((_, index) => index)), ...numberColumns(ranges, 'storeId', 'from', 'to')],
  );
  const found = Map.groupBy(rows, ({ index }) => index);
  return ranges.map((_, index) => found.get(index) ?? []);
}

const statement = `
  select range.index, (extract(epoch from c.at) * 1000)::float8 as at, c.people,
    entry.entered_by as by
  from unnest($1::integer[], $2::integer[], $3::double precision[], $4::double precision[])
    as range (index, store_id, start, stop)
  join correction_in_force c on c.store_id = range.store_id
    and c.at >= to_timestamp(range.start / 1000) and c.at < to_timestamp(range.stop / 1000)
  join correction entry on entry.id = c.id
  order by range.index, c.at, c.id`;

/** Who makes an entry, with which credential, and their note. */
export interface Entry {
  readonly author: Author;
  readonly note: string;
  readonly credentialId: number;
}

interface NewCorrection extends Entry {
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
 * Enters what staff counted and returns the entry's id; the projector corrects the occupancy after it. Returns the id of
 * the entry that exists for its key. Throws CrossingsRemoved for an instant before the crossings of the company, and
 * KeyConflict if the entry of its key has other content.
 */
export async function enterCorrection(db: Kysely<unknown>, entry: NewCorrection): Promise<string> {
  const { storeId, at, people, author, note, credentialId, key = null } = entry;
  return await db.transaction().execute(async (trx) => {
    await requireCrossings(trx, { storeId }, at);
    const { rows } = await sql<{ id: string }>`
      insert into correction (store_id, at, people, entered_by, note, credential_id, key, entered_at)
      values (${storeId}, ${timestamp(at)}, ${people}, ${author.name}, ${note}, ${credentialId}, ${key},
        ${enteredAt(entry)})
      on conflict (credential_id, key) do nothing returning id`.execute(trx);
    const id = rows[0]?.id;
    if (id === undefined) return await correctionOfKey(trx, entry);
    await recordRewrites(trx, [{ storeId, quarter: quarterOf(at) }]);
    await recordAudit(trx, author, {
      ...(await storeConcerned(trx, storeId)),
      action: 'correction entered',
      details: { correction: Number(id), at: timestamp(at), people, note },
    });
    return id;
  });
}

/** The id of the correction that was entered under the key of `entry`. Throws KeyConflict. */
async function correctionOfKey(trx: Kysely<unknown>, entry: NewCorrection): Promise<string> {
  const { storeId, people, author, note, credentialId, key = '', givenAt } = entry;
  const { rows } = await facts(sql`counted.credential_id = ${credentialId} and counted.key = ${key}`).execute(
    trx,
  );
  const [known] = rows;
  const isSame =
    known !== undefined &&
    [known.store_id, known.people, known.entered_by, known.note].join('\n') ===
      [storeId, people, author.name, note].join('\n') &&
    isSameInstant(givenAt, known);
  if (!isSame) throw new KeyConflict('a correction with this key and other content exists');
  return known.id;
}

/** Undoes a correction of a store by another entry; false when it was undone before. Throws CrossingsRemoved. */
export async function undoCorrection(
  db: Kysely<unknown>,
  correction: { readonly id: string; readonly storeId: number; readonly at: number },
  { author, note, credentialId }: Entry,
): Promise<boolean> {
  const { id, storeId, at } = correction;
  return await db.transaction().execute(async (trx) => {
    await requireCrossings(trx, { storeId }, at);
    const { rows: undone } = await sql`
      insert into correction (store_id, at, undoes, entered_by, note, credential_id)
      values (${storeId}, ${timestamp(at)}, ${id}, ${author.name}, ${note}, ${credentialId})
      on conflict (undoes) do nothing returning id`.execute(trx);
    if (undone.length === 0) return false;
    await recordRewrites(trx, [{ storeId, quarter: quarterOf(at) }]);
    await recordAudit(trx, author, {
      ...(await storeConcerned(trx, storeId)),
      action: 'correction undone',
      details: { correction: Number(id), note },
    });
    return true;
  });
}

/** A correction, and how it was undone, if it was. Instants are epoch ms. */
export interface CorrectionFacts {
  /** 64-bit numbers arrive as text. */
  readonly id: string;
  readonly store_id: number;
  readonly at: number;
  readonly people: number;
  readonly entered_by: string;
  readonly note: string;
  readonly entered_at: number;
  /** The label of the credential. */
  readonly credential: string | null;
  readonly undone_by: string | null;
  readonly undone_note: string | null;
  readonly undone_at: number | null;
  readonly undone_credential: string | null;
}

/** The corrections of stores, undone ones too, the last entered first. */
export async function listCorrections(db: Kysely<unknown>, query: EntryQuery): Promise<CorrectionFacts[]> {
  const { storeIds, from, to, before, limit } = query;
  const { rows } = await facts(sql`
    counted.store_id = any(${storeIds}::integer[])
      and counted.at >= ${timestamp(from)}::timestamptz and counted.at < ${timestamp(to)}::timestamptz
      and counted.id < coalesce(${before ?? null}::bigint, 9223372036854775807)
    order by counted.id desc limit ${limit}`).execute(db);
  return rows;
}

/** A correction of one of the stores; undefined when there is none of that id. */
export async function findCorrection(
  db: Kysely<unknown>,
  storeIds: readonly number[],
  id: string,
): Promise<CorrectionFacts | undefined> {
  const { rows } = await facts(sql`
    counted.id = ${id}::bigint and counted.store_id = any(${storeIds}::integer[])`).execute(db);
  return rows[0];
}

function facts(condition: RawBuilder<unknown>): RawBuilder<CorrectionFacts> {
  return sql<CorrectionFacts>`
    select counted.id, counted.store_id, ${epochMs('counted.at')} as at, counted.people,
      counted.entered_by, counted.note, ${epochMs('counted.entered_at')} as entered_at,
      credential.label as credential, undo.entered_by as undone_by, undo.note as undone_note,
      ${epochMs('undo.entered_at')} as undone_at, undoer.label as undone_credential
    from correction counted
    left join credential on credential.id = counted.credential_id
    left join correction undo on undo.undoes = counted.id
    left join credential undoer on undoer.id = undo.credential_id
    where counted.people is not null and ${condition}`;
}
