import type { ClientBase, Pool } from 'pg';
import { conflict, type UnstoredRow } from '../crossings/compare-with-stored.ts';
import { numberArray } from '../sql/arrays.ts';

/**
 * Records that crossings conflict with stored ones, in the transaction that stores them as rejected: their journal is
 * written by two units, or by one whose card was replaced by an older copy.
 */
export async function recordConflicts(client: ClientBase, unstored: readonly UnstoredRow[]): Promise<void> {
  const rows = unstored.filter(({ reason }) => reason === conflict).map(({ row }) => row);
  if (rows.length === 0) return;
  await client.query(confirmClone, [
    numberArray(rows.map(({ journalId }) => journalId)),
    numberArray(rows.map(({ device }) => device)),
    numberArray(rows.map(({ at }) => at)),
  ]);
}

const confirmClone = `
  insert into cloned_journal as known (journal_id, device_id, confirmed_at, conflicts_from)
  select journal_id, device_id, now(), to_timestamp(min(at) / 1000)
  from unnest($1::integer[], $2::integer[], $3::double precision[]) as conflicting (journal_id, device_id, at)
  group by journal_id, device_id order by journal_id
  on conflict (journal_id) do update set
    confirmed_at = coalesce(known.confirmed_at, excluded.confirmed_at),
    conflicts_from = least(known.conflicts_from, excluded.conflicts_from),
    seen_at = now()`;

/** The end of a unit's journal, as a heartbeat reports it. */
export interface RecordedClaim {
  readonly deviceId: number;
  readonly journal: string;
  /** The last sequence that the unit has recorded. */
  readonly recorded: number;
  /** Epoch ms by the unit's clock. */
  readonly at: number;
}

/** A heartbeat counts only if its unit recorded the unknown crossing at least this long before it (ms). */
const margin = 60_000;

/**
 * Records that a heartbeat reports fewer crossings of its journal than are stored. The first such heartbeat is a
 * suspicion, the next one confirms it. A heartbeat that was only delivered late has no effect: it counts only if, by the
 * unit's own clock, it was made after the first stored crossing that it does not include.
 */
export async function recordShortJournal(
  pool: Pool,
  { deviceId, journal, recorded, at }: RecordedClaim,
): Promise<void> {
  await pool.query(suspectClone, [deviceId, journal, recorded, at, margin]);
}

const suspectClone = `
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
