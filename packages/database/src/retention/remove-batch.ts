import type { ClientBase } from 'pg';
import { lastRemoved } from '../crossings/removed-sequences.ts';
import { inTransaction, runStatement } from '../sql/run-statement.ts';

/** Where a pass continues. */
export interface OpenPass {
  readonly companyId: number;
  readonly company: string;
  /** The beginning of the company's crossings (epoch ms). */
  readonly before: number;
  /** Crossings before this instant may be removed now (epoch ms): the projection no longer needs them. */
  readonly until: number;
  /** How far the pass has come (epoch ms). */
  readonly from: number;
  readonly removed: number;
}

/** The passes that have not finished, of companies in the order of their ids. */
export async function openPasses(client: ClientBase): Promise<OpenPass[]> {
  return runStatement<OpenPass>(client, 'open-passes', openStatement, []);
}

const openStatement = `
  select company.id as "companyId", company.name as company, removed::float8 as removed,
    (extract(epoch from removed_before) * 1000)::float8 as before,
    (extract(epoch from least(removed_before, coalesce(seal.before, '1970-01-01Z'))) * 1000)::float8 as until,
    (extract(epoch from coalesce(removed_to, '1970-01-01Z')) * 1000)::float8 as from
  from retention_pass pass
  join company on company.id = pass.company_id
  left join projection_seal seal on seal.company_id = pass.company_id
  where finished_at is null order by company.id`;

/** The instant (epoch ms) of the first crossing of a pass in [`from`, `until`); undefined if there is none. */
export async function firstToRemove(client: ClientBase, pass: OpenPass): Promise<number | undefined> {
  const { companyId, from, until } = pass;
  const [row] = await runStatement<{ at: number | null }>(client, 'first-to-remove', firstStatement, [
    companyId,
    from,
    until,
  ]);
  return row?.at ?? undefined;
}

/** A company's stores, and its voids: voided crossings have the negative id of their void as store. */
const owned = `
  select id from store where company_id = $1::integer
  union all
  select -void.id from crossing_void void join device on device.id = void.device_id
  where device.company_id = $1::integer`;

const inPass = `
  at >= to_timestamp($2::float8 / 1000) and at < to_timestamp($3::float8 / 1000) and transaction < (
    select removes_below from retention_pass where company_id = $1::integer and finished_at is null
  )`;

const firstStatement = `
  select (extract(epoch from min(first.at)) * 1000)::float8 as at
  from (${owned}) owned cross join lateral (
    select at from crossing where store_id = owned.id and ${inPass} order by at limit 1
  ) first`;

/** A stretch of time of which crossings are removed (epoch ms), and how many at most. */
interface Slice {
  readonly companyId: number;
  readonly from: number;
  readonly until: number;
  readonly limit: number;
}

/**
 * Removes crossings of a slice, records their sequences, and counts them, in one transaction. Returns how many they were:
 * fewer than the limit if none of the slice is left. Crossings of transactions that are too recent stay.
 */
export async function removeBatch(client: ClientBase, slice: Slice): Promise<number> {
  const { companyId, from, until, limit } = slice;
  return inTransaction(client, async () => {
    const [row] = await runStatement<Removed>(client, 'remove-crossings', removeStatement, [
      companyId,
      from,
      until,
      limit,
    ]);
    const removed = row?.removed ?? 0;
    await runStatement(client, 'record-removed', recordStatement, [
      companyId,
      removed,
      removed < limit ? until : null,
      ...(row?.last ?? ['0', '0', '0']),
    ]);
    return removed;
  });
}

interface Removed {
  readonly removed: number;
  /** Transaction, journal and sequence of the one that is the latest in commit order; null if none was removed. */
  readonly last: readonly string[] | null;
}

/** Deletes rows in the order of their key, and merges their sequences with the removed ranges that they touch. */
const removeStatement = `
  with found as materialized (
    select found.* from (${owned}) owned cross join lateral (
      select journal_id, sequence from crossing where store_id = owned.id and ${inPass}
      order by at limit $4::integer
    ) found
    limit $4::integer
  ), removed as materialized (
    delete from crossing using found
    where crossing.journal_id = found.journal_id and crossing.sequence = found.sequence and ${inPass}
    returning crossing.journal_id, crossing.sequence, crossing.transaction
  ), islands as materialized (
    select journal_id, min(sequence) as first, max(sequence) as last
    from (
      select journal_id, sequence, sequence - row_number() over (partition by journal_id order by sequence) as island
      from removed
    ) numbered
    group by journal_id, island
  ), touching as materialized (
    delete from journal_removed known using islands
    cross join lateral (${lastRemoved('islands.journal_id', '(islands.last + 1)')}) bound
    where known.journal_id = islands.journal_id
      and known.last >= islands.first - 1 and known.last <= bound.last and known.first <= islands.last + 1
    returning known.journal_id, known.first, known.last
  ), merged as materialized (
    select journal_id, min(first) as first, max(last) as last
    from (
      select *, count(*) filter (where begins) over (partition by journal_id order by first) as place
      from (
        select *, first > coalesce(lag(last) over (partition by journal_id order by first) + 1, 0) as begins
        from (select * from islands union all select * from touching) ranges
      ) marked
    ) numbered
    group by journal_id, place
  ), kept as (
    insert into journal_removed (journal_id, first, last) select journal_id, first, last from merged
  )
  select count(*)::integer as removed, (
    select array[transaction::text, journal_id::text, sequence::text] from removed
    order by transaction desc, journal_id desc, sequence desc limit 1
  ) as last
  from removed`;

const recordStatement = `
  update retention_pass set removed = removed + $2::bigint,
    removed_to = coalesce(to_timestamp($3::float8 / 1000), removed_to),
    (last_transaction, last_journal, last_sequence) = (
      select * from (values
        (last_transaction, last_journal, last_sequence), ($4::bigint, $5::integer, $6::bigint)
      ) latest order by 1 desc, 2 desc, 3 desc limit 1
    )
  where company_id = $1::integer and finished_at is null`;

/** Ends a pass whose crossings are removed, up to the beginning of the company's crossings. */
export async function finishPass(client: ClientBase, { companyId, before }: OpenPass): Promise<void> {
  await runStatement(client, 'finish-pass', finishStatement, [companyId, before]);
}

const finishStatement = `
  update retention_pass set finished_at = now(), removed_to = removed_before
  where company_id = $1::integer and removed_before = to_timestamp($2::float8 / 1000) and finished_at is null`;
