import type { Pool } from 'pg';
import { accountedRanges } from '../crossings/accounted-ranges.ts';
import { numberArray } from '../sql/arrays.ts';

/** A journal of which more may have been stored. */
interface JournalClaim {
  readonly deviceId: number;
  readonly journal: string;
  /** The journal is advanced only if it is checked to less than this; without `upTo` it always is. */
  readonly upTo?: number;
}

export interface JournalProgress {
  readonly deviceId: number;
  readonly journal: string;
  /** Up to where it was checked before. */
  readonly before: number;
  /** Every sequence up to here is stored, rejected or declared lost. */
  readonly through: number;
  /**
   * Every sequence up to here is stored, rejected, declared lost, or recorded as missing although it was acknowledged:
   * the unit need not send any of them unless it gets a `resend`.
   */
  readonly checked: number;
  /** There may be more to advance over: call again. */
  readonly more: boolean;
}

/** The most sequences that one call advances. */
const span = 10_000;

/** Without `upTo`. */
const unlimited = Number.MAX_SAFE_INTEGER;

/**
 * Advances the progress of journals over sequences that are stored, rejected or declared lost, up to the first gap,
 * and returns it. Journals that are not in the database are left out.
 *
 * The statement sees only what is committed before it begins. Call it after the transaction that stored the messages:
 * if two gateways store parts of one journal at the same time, the call after the later commit sees both parts.
 */
export async function advanceProgress(
  pool: Pool,
  claims: readonly JournalClaim[],
): Promise<readonly JournalProgress[]> {
  const { rows } = await pool.query<JournalProgress>({
    name: 'advance-progress',
    text: statement,
    values: [
      numberArray(claims.map(({ deviceId }) => deviceId)),
      claims.map(({ journal }) => journal),
      numberArray(claims.map(({ upTo = unlimited }) => upTo)),
    ],
  });
  return rows;
}

/**
 * A sequence is reached when the number of distinct accounted sequences from `checked` to it is their distance: there is
 * no gap. Nothing is written if the journal is checked to less meanwhile: then it has more gaps than are recorded. Written
 * in the order of the key, as every writer does.
 */
const statement = `
  with claimed as materialized (
    select journal.id, journal.device_id, journal.name, max(claim.up_to) as up_to
    from unnest($1::integer[], $2::text[], $3::bigint[]) as claim (device_id, name, up_to)
    join journal using (device_id, name)
    group by journal.id
  ), known as materialized (
    select claimed.*, coalesce(progress.checked, 0) as checked
    from claimed left join journal_progress progress on progress.journal_id = claimed.id
  ), reached as materialized (
    select known.*, checked + run.length as reached
    from known cross join lateral (
      select count(*) as length
      from (
        select sequence, row_number() over (order by sequence) as place
        from (
          select sequence from crossing
          where journal_id = known.id and up_to > checked and sequence > checked and sequence <= checked + ${span}
          union
          select generate_series(greatest(first, checked + 1), least(last, checked + ${span}))
          from (${accountedRanges('known.id', '(known.checked + 1)', `(known.checked + ${span})`)}) uncounted
          where up_to > checked
        ) accounted
      ) numbered
      where sequence = checked + place
    ) run
  ), kept as (
    insert into journal_progress as progress (journal_id, checked)
    select id, reached from reached where reached > checked order by id
    on conflict (journal_id) do update set checked = excluded.checked
    where progress.checked < excluded.checked
      and progress.checked >= (select checked from reached where id = excluded.journal_id)
  )
  select device_id as "deviceId", name as journal, checked::float8 as before, reached::float8 as checked,
    coalesce((select min(first) - 1 from journal_missing where journal_id = id), reached)::float8 as through,
    reached = checked + ${span} as more
  from reached`;
