import type { Kysely } from 'kysely';
import { insertJournals } from '../crossings/journal-ids.ts';
import { numberArray, runStatement } from '../sql/query-builder.ts';
import type { DB } from '../sql/schema.ts';

/** Sequences of a journal, both ends included. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

/** Ranges, in any order and also overlapping ones, as an `int8multirange`. */
export function multirange(ranges: readonly Range[]): string {
  return `{${ranges.map(({ first, last }) => `[${first},${last}]`).join()}}`;
}

/** What a unit reports about one of its journals. */
export interface ReportedJournal {
  readonly deviceId: number;
  readonly journal: string;
  /** Every sequence up to here was acknowledged to the unit; 0 where that is not reported. */
  readonly acknowledged: number;
  /** The last sequence that the unit has recorded, if it still writes the journal. */
  readonly recorded?: number;
  /** Sequences that the unit cannot deliver any more. */
  readonly lost: readonly Range[];
}

/** The result of one comparison of a journal with what is stored. */
interface Coverage {
  readonly deviceId: number;
  readonly journal: string;
  /** How many sequences are missing now, and how many were before. */
  readonly missing: number;
  readonly before: number;
  /** How many sequences were found to be lost. */
  readonly lost: number;
}

/**
 * Compares journals with what is stored, and updates their rows: sequences that were acknowledged to the unit and are
 * neither stored nor rejected nor declared lost are missing, and so are earlier ones until they are stored. So are those that
 * the unit had recorded if its journal is shorter now. Journals that
 * are not in the database are added, if something of them was recorded, acknowledged or lost; those of unknown devices are left out.
 *
 * The cost depends on the number of sequences that are not accounted for yet, not on the length of a journal. It may run
 * for the same journal in several gateways at once: what is accounted for is only added.
 */
export async function updateCoverage(
  db: Kysely<DB>,
  reported: readonly ReportedJournal[],
): Promise<readonly Coverage[]> {
  const found: Coverage[] = [];
  const unknown = new Map(reported.map((report) => [keyOf(report), report]));
  const compareAll = async (reports: readonly ReportedJournal[]) => {
    for (let due = reports; due.length > 0; ) {
      const rows = await compare(db, due);
      for (const row of rows) unknown.delete(keyOf(row));
      found.push(...rows);
      const unfinished = new Set(rows.filter(({ more }) => more).map(keyOf));
      due = due.filter((report) => unfinished.has(keyOf(report)));
    }
  };
  await compareAll(reported);
  const added = [...unknown.values()].filter(
    ({ recorded = 0, acknowledged, lost }) => recorded > 0 || acknowledged > 0 || lost.length > 0,
  );
  if (added.length > 0) {
    await runStatement(db, insertJournals, namesOf(added));
    await compareAll(added);
  }
  return found;
}

function keyOf({ deviceId, journal }: Pick<ReportedJournal, 'deviceId' | 'journal'>): string {
  return `${deviceId} ${journal}`;
}

function namesOf(journals: readonly Pick<ReportedJournal, 'deviceId' | 'journal'>[]): [string, string[]] {
  return [numberArray(journals.map(({ deviceId }) => deviceId)), journals.map(({ journal }) => journal)];
}

/** `more`: not everything was compared; call again. */
type Compared = Coverage & { readonly more: boolean };

async function compare(db: Kysely<DB>, reported: readonly ReportedJournal[]): Promise<Compared[]> {
  return runStatement<Compared>(db, compareStatement, [
    ...namesOf(reported),
    numberArray(reported.map(({ acknowledged }) => acknowledged)),
    reported.map(({ lost }) => multirange(lost)),
    reported.map(({ recorded = null }) => recorded),
  ]);
}

/** How many stored sequences of a journal one statement reads. */
const mostRead = 2_000;

/** With this many missing ranges, later sequences of a journal are compared when some of them are stored. */
const mostMissing = 100;

/** The most lost ranges of a journal that are recorded as lost; further ones are only accounted for. */
const mostLost = 1_000;

/** A journal of which this many separate ranges are accounted for gets no further lost or rejected ones. */
export const mostRanges = 10_000;

/**
 * `asked`: what to compare, up to where stored sequences were read, and then up to `cut`. Stored sequences are read range by
 * range in their order (the planner sorts by the first key already), so that the database stops when it has read enough.
 * Values of `journal` in the update are those of the newest version of its row, also if it waited for another writer.
 */
const compareStatement = `
  with reported as materialized (
    select journal.id, device_id, name, missing, room.declared, said.recorded,
      int8multirange(
        int8range(1, acknowledged + 1),
        int8range(coalesce(said.recorded, journal.recorded, 0) + 1, greatest(said.recorded, journal.recorded, 0) + 1)
      ) + room.declared + missing - accounted as asked
    from unnest($1::integer[], $2::text[], $3::bigint[], $4::int8multirange[], $5::bigint[])
      as said (device_id, name, acknowledged, declared, recorded)
    join journal using (device_id, name)
    cross join lateral (
      select case when (select count(*) from unnest(accounted)) < ${mostRanges} then said.declared else '{}' end as declared
    ) room
  ), read as materialized (
    select reported.*, last_read,
      coalesce(found.stored, '{}') as stored,
      asked * int8multirange(int8range(null, last_read + 1)) as seen
    from reported cross join lateral (
      select range_agg(int8range(sequence, sequence, '[]')) as stored,
        case when count(*) = ${mostRead} then max(sequence) end as last_read
      from (
        select sequence
        from (select lower(part) as first, upper(part) as after from unnest(asked) part order by 1) part
        cross join lateral (
          select sequence from crossing
          where journal_id = reported.id and sequence >= part.first and sequence < part.after
          order by sequence limit ${mostRead}
        ) crossing
        order by part.first, sequence limit ${mostRead}
      ) crossing
    ) found
  ), compared as materialized (
    select id, device_id, name, missing, declared, recorded, stored, last_read is not null and cut is null as more,
      seen * int8multirange(int8range(null, cut)) as asked
    from read cross join lateral (
      select (
        select lower(gap) from unnest(seen - stored - declared) gap order by 1 offset ${mostMissing} limit 1
      ) as cut
    ) cut
  ), changed as materialized (
    select *, asked * (stored + declared) as added, asked * declared - stored as lost, asked - stored - declared as open
    from compared
  ), updated as (
    update journal set
      recorded = greatest(journal.recorded, changed.recorded),
      accounted = journal.accounted + added,
      missing = journal.missing + open - journal.accounted - added,
      missing_since = case when not isempty(journal.missing + open - journal.accounted - added)
        then coalesce(missing_since, now()) end,
      lost = case when (select count(*) from unnest(journal.lost)) < ${mostLost}
        then journal.lost + (changed.lost - journal.accounted) else journal.lost end,
      lost_lately = count_sequences(changed.lost - journal.accounted)
        + case when isempty(changed.lost - journal.accounted) or lost_at > now() - interval '1 day'
          then lost_lately else 0 end,
      lost_at = case when isempty(changed.lost - journal.accounted) then lost_at else now() end
    from changed
    where journal.id = changed.id and not (isempty(added) and open <@ journal.missing
      and coalesce(changed.recorded <= journal.recorded, changed.recorded is null))
  )
  select device_id, name as journal, more, count_sequences(lost) as lost,
    count_sequences(missing) as before, count_sequences(missing + open - added) as missing
  from changed`;
