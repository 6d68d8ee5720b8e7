import { type RawBuilder, sql } from 'kysely';
import { timestamp } from '../sql/instant.ts';
import type { Reader } from '../sql/snapshot.ts';

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

export interface CorrectionQuery {
  readonly storeIds: readonly number[];
  /** Instants (epoch ms), the latter exclusive. */
  readonly from: number;
  readonly to: number;
  /** Only those with a lower id. */
  readonly before: string | undefined;
  readonly limit: number;
}

/** The corrections of stores, undone ones too, the last entered first. */
export async function listCorrections(db: Reader, query: CorrectionQuery): Promise<CorrectionFacts[]> {
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
  db: Reader,
  storeIds: readonly number[],
  id: string,
): Promise<CorrectionFacts | undefined> {
  const { rows } = await facts(sql`
    counted.id = ${id}::bigint and counted.store_id = any(${storeIds}::integer[])`).execute(db);
  return rows[0];
}

function facts(condition: RawBuilder<unknown>): RawBuilder<CorrectionFacts> {
  return sql<CorrectionFacts>`
    select counted.id, counted.store_id, (extract(epoch from counted.at) * 1000)::float8 as at, counted.people,
      counted.entered_by, counted.note, floor(extract(epoch from counted.entered_at) * 1000)::float8 as entered_at,
      credential.label as credential, undo.entered_by as undone_by, undo.note as undone_note,
      floor(extract(epoch from undo.entered_at) * 1000)::float8 as undone_at, undoer.label as undone_credential
    from correction counted
    left join credential on credential.id = counted.credential_id
    left join correction undo on undo.undoes = counted.id
    left join credential undoer on undoer.id = undo.credential_id
    where counted.people is not null and ${condition}`;
}
