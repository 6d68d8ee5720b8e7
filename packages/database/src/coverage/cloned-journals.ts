import type { ClientBase, Pool } from 'pg';
import { conflict, type UnstoredRow } from '../ingest/compare-with-stored.ts';
import { numberArray } from '../ingest/sql-arrays.ts';

/**
 * Writes down, in the transaction that keeps them as rejected, that crossings conflict with stored ones: their
 * journal is written by two units, or by one whose card was set back.
 */
export async function noteConflicts(client: ClientBase, unstored: readonly UnstoredRow[]): Promise<void> {
  const rows = unstored.filter(({ reason }) => reason === conflict).map(({ row }) => row);
  if (rows.length === 0) return;
  await client.query(confirm, [
    numberArray(rows.map(({ journalId }) => journalId)),
    numberArray(rows.map(({ device }) => device)),
    numberArray(rows.map(({ at }) => at)),
  ]);
}

const confirm = `
  insert into cloned_journal as known (journal_id, device_id, confirmed_at, conflicts_from)
  select journal_id, device_id, now(), to_timestamp(min(at) / 1000)
  from unnest($1::integer[], $2::integer[], $3::double precision[]) as conflicting (journal_id, device_id, at)
  group by journal_id, device_id order by journal_id
  on conflict (journal_id) do update set
    confirmed_at = coalesce(known.confirmed_at, excluded.confirmed_at),
    conflicts_from = least(known.conflicts_from, excluded.conflicts_from),
    seen_at = now()`;

/** What a heartbeat says of its unit's journal. */
export interface RecordedClaim {
  readonly deviceId: number;
  readonly journal: string;
  /** The last sequence that the unit has recorded. */
  readonly recorded: number;
  /** Epoch ms by the unit's clock. */
  readonly at: number;
}

/** A heartbeat and a crossing that the unit recorded so much later (ms) are never compared. */
const margin = 60_000;

/**
 * Notes a heartbeat whose journal is shorter than what is stored of it. The first such heartbeat is a suspicion, the
 * next one confirms it. One that was only delivered late says nothing: it counts where it was made, by the unit's own
 * clock, later than the crossings that it does not know.
 */
export async function noteShortJournal(
  pool: Pool,
  { deviceId, journal, recorded, at }: RecordedClaim,
): Promise<void> {
  await pool.query(suspect, [deviceId, journal, recorded, at, margin]);
}

const suspect = `
  insert into cloned_journal as known (journal_id, device_id, suspected_by)
  select journal.id, device_id, $4::double precision
  from journal cross join lateral (
    select at from crossing where journal_id = journal.id and sequence > $3::bigint order by sequence limit 1
  ) unknown
  where device_id = $1 and name = $2
    and unknown.at < to_timestamp(($4::double precision - $5::double precision) / 1000)
  on conflict (journal_id) do update set
    confirmed_at = coalesce(known.confirmed_at,
      case when known.suspected_by <> excluded.suspected_by and known.suspected_at > now() - interval '1 hour'
        then now() end),
    suspected_at = case when known.suspected_by is null or known.suspected_at <= now() - interval '1 hour'
      then now() else known.suspected_at end,
    suspected_by = excluded.suspected_by,
    seen_at = now()`;
