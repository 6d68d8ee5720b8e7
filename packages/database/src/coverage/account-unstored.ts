import { sql } from 'kysely';
import { insertJournals } from '../crossings/journal-ids.ts';
import { type Db, numberColumns, runStatement } from '../sql/query-builder.ts';
import { mostRanges } from './compare-journals.ts';

/** Sequences of a journal that were rejected. */
interface RejectedSequences {
  readonly deviceId: number;
  readonly journal: string;
  readonly sequences: readonly number[];
}

/**
 * Records that the sequences of rejected entries are accounted for, in the transaction that stores the entries: the
 * sequences never count as missing, even after an operator has discarded the entries.
 */
export async function accountRejected(trx: Db, rejected: readonly RejectedSequences[]): Promise<void> {
  if (rejected.length === 0) return;
  const sent = rejected.map((one) => ({ ...one, sequences: rangesOf(one.sequences) }));
  await runStatement(trx, insertJournals, [JSON.stringify(sent)]);
  await runStatement(trx, accountStatement, [JSON.stringify(sent)]);
}

function rangesOf(sequences: readonly number[]): string {
  const valid = sequences.filter((sequence) => Number.isSafeInteger(sequence) && sequence > 0);
  return `{${valid.map((sequence) => `[${sequence},${sequence}]`).join()}}`;
}

/** Locks the journals in the order of their ids, as every writer of several journals does, so that two do not deadlock. */
const accountStatement = `
  with rejected as materialized (
    select "deviceId" as device_id, journal as name, range_agg(sequences) as sequences
    from json_to_recordset($1) as sent ("deviceId" integer, journal text, sequences int8multirange)
    group by 1, 2
  ), locked as materialized (
    select id, sequences from rejected join journal using (device_id, name) order by id for update of journal
  )
  update journal set accounted = accounted + sequences, missing = missing - sequences,
    missing_since = case when not isempty(missing - sequences) then missing_since end
  from locked
  where journal.id = locked.id and (select count(*) from unnest(accounted)) < ${mostRanges}`;

/**
 * Records that crossings conflict with stored ones, in the transaction that stores them as rejected: their journal is
 * written by two units, or by one whose card was replaced by an older copy.
 */
export async function recordConflicts(
  trx: Db,
  rows: readonly { readonly journalId: number; readonly at: number }[],
): Promise<void> {
  if (rows.length === 0) return;
  await runStatement(trx, conflictStatement, numberColumns(rows, 'journalId', 'at'));
}

const conflictStatement = `
  with conflicting as materialized (
    select id, min(at) as earliest from unnest($1::integer[], $2::double precision[]) as conflicting (id, at) group by id
  ), locked as materialized (
    select id, earliest from conflicting join journal using (id) order by id for update of journal
  )
  update journal set conflict_since = coalesce(conflict_since, now()), conflict_at = now(),
    conflicts_from = least(conflicts_from, to_timestamp(earliest / 1000))
  from locked where journal.id = locked.id`;

/** Declares all missing crossings of a device lost. Returns how many, by journal. */
export async function declareLost(trx: Db, deviceId: number) {
  const { rows } = await sql<{ journal: string; lost: number }>`
    with found as (
      select id, missing from journal
      where device_id = ${deviceId} and missing_since is not null order by id for update
    )
    update journal set accounted = accounted + found.missing, lost = lost + found.missing,
      missing = '{}', missing_since = null, lost_at = now(), lost_lately = count_sequences(found.missing)
        + case when lost_at > now() - interval '1 day' then lost_lately else 0 end
    from found where journal.id = found.id
    returning name as journal, count_sequences(found.missing) as lost`.execute(trx);
  return rows;
}
