import type { Kysely } from 'kysely';
import { runStatement } from '../sql/run-statement.ts';
import type { DB } from '../sql/schema.ts';
import { multirange } from './ranges.ts';
import { insertStatement, mostRanges } from './update-coverage.ts';

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
export async function accountRejected(
  trx: Kysely<DB>,
  rejected: readonly RejectedSequences[],
): Promise<void> {
  if (rejected.length === 0) return;
  const names = [rejected.map(({ deviceId }) => deviceId), rejected.map(({ journal }) => journal)];
  await runStatement(trx, insertStatement, names);
  await runStatement(trx, accountStatement, [...names, rejected.map(({ sequences }) => rangesOf(sequences))]);
}

function rangesOf(sequences: readonly number[]): string {
  const valid = sequences.filter((sequence) => Number.isSafeInteger(sequence) && sequence > 0);
  return multirange(valid.map((sequence) => ({ first: sequence, last: sequence })));
}

const accountStatement = `
  update journal set accounted = accounted + sequences, missing = missing - sequences,
    missing_since = case when not isempty(missing - sequences) then missing_since end
  from (
    select device_id, name, range_agg(sequences) as sequences
    from unnest($1::integer[], $2::text[], $3::int8multirange[]) as sent (device_id, name, sequences)
    group by device_id, name
  ) rejected
  where journal.device_id = rejected.device_id and journal.name = rejected.name
    and (select count(*) from unnest(accounted)) < ${mostRanges}`;
