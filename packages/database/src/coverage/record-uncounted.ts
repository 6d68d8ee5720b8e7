import type { ClientBase } from 'pg';
import type { JournalName } from '../crossings/journal-ids.ts';
import { numberColumns } from '../sql/arrays.ts';
import { joined } from './ranges.ts';

/** Sequences of a journal that were rejected. */
interface RejectedSequences {
  readonly deviceId: number;
  readonly journal: string;
  readonly sequences: readonly number[];
  /** Whether a journal that is not in the database yet is added to it. */
  readonly mayBegin: boolean;
}

/**
 * Records that the sequences of rejected entries are accounted for, in the transaction that stores the entries: the
 * sequences never count as missing, even after an operator has discarded the entries.
 */
export async function recordUncounted(
  client: ClientBase,
  rejected: readonly RejectedSequences[],
): Promise<void> {
  if (rejected.length === 0) return;
  const ranges = rejected.flatMap(({ deviceId, journal, sequences }) =>
    joined(sequences.filter(isSequence).map((sequence) => ({ first: sequence, last: sequence }))).map(
      (range) => ({ deviceId, journal, ...range }),
    ),
  );
  await insertMissingJournals(
    client,
    rejected.filter(({ mayBegin }) => mayBegin),
  );
  await client.query(statement, [
    ranges.map(({ deviceId }) => deviceId),
    ranges.map(({ journal }) => journal),
    ...numberColumns(ranges, 'first', 'last'),
  ]);
}

function isSequence(sequence: number): boolean {
  return Number.isSafeInteger(sequence) && sequence > 0;
}

const statement = `
  insert into journal_uncounted (journal_id, first, last, reason)
  select distinct journal.id, first, last, 'rejected'
  from unnest($1::integer[], $2::text[], $3::bigint[], $4::bigint[]) as rejected (device_id, name, first, last)
  join journal using (device_id, name)
  order by 1, 2
  on conflict do nothing`;

/** A device with this many journals gets no further ones that only rejected entries or heartbeats name. */
const mostJournals = 100;

/**
 * Adds the missing ones of `journals` to the database, as far as their devices are in it: a journal can begin with a
 * rejected entry, and a restored database may lack it. A device with very many journals gets no more this way.
 */
export async function insertMissingJournals(
  client: ClientBase,
  journals: readonly JournalName[],
): Promise<void> {
  await client.query(insertJournals, [
    journals.map(({ deviceId }) => deviceId),
    journals.map(({ journal }) => journal),
  ]);
}

const insertJournals = `
  insert into journal (device_id, name)
  select distinct device.id, wanted.name
  from unnest($1::integer[], $2::text[]) as wanted (device_id, name)
  join device on device.id = wanted.device_id
  where not exists (select from journal where device_id = device.id and name = wanted.name)
    and (select count(*) from journal where device_id = device.id) < ${mostJournals}
  order by 1, 2
  on conflict (device_id, name) do nothing`;
