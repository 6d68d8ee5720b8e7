import type { ClientBase } from 'pg';
import { numberColumns } from '../sql/arrays.ts';
import { runStatement } from '../sql/run-statement.ts';
import { type Range, sizeOf, splitAfter, subtract } from './ranges.ts';

/** The result of one call. */
export interface Gaps<Part extends Range> {
  /** Parts that are neither stored nor accounted for otherwise. */
  readonly gaps: readonly Part[];
  /** Parts that this call did not reach: pass them to the next one. */
  readonly unseen: readonly Part[];
}

/** How many stored crossings, and how many uncounted ranges, one call reads. */
const most = 10_000;

/**
 * Finds the parts of `ranges` that are neither stored, nor removed, nor uncounted. The ranges are sorted and do not overlap.
 * The cost depends on the number of stored crossings in the ranges, not on the length of the ranges.
 */
export async function findGaps<Part extends Range>(
  client: ClientBase,
  journalId: number,
  ranges: readonly Part[],
): Promise<Gaps<Part>> {
  if (ranges.length === 0) return { gaps: [], unseen: [] };
  const values = [journalId, ...numberColumns(ranges, 'first', 'last')];
  const stored = await runStatement<Range>(client, 'find-stored-ranges', storedRanges, values);
  const uncounted = await runStatement<Range>(client, 'find-uncounted-ranges', uncountedRanges, values);
  const end = Math.min(
    sizeOf(stored) < most ? Number.POSITIVE_INFINITY : (stored.at(-1)?.last ?? 0),
    uncounted.length < most ? Number.POSITIVE_INFINITY : (uncounted.at(-1)?.first ?? 1) - 1,
  );
  const [seen, unseen] = splitAfter(ranges, end);
  return { gaps: subtract(seen, [...stored, ...uncounted]), unseen };
}

const storedRanges = `
  select min(sequence)::float8 as first, max(sequence)::float8 as last
  from (
    select sequence, sequence - row_number() over (order by sequence) as island
    from (
      select sequence from unnest($2::bigint[], $3::bigint[]) as asked (first, last)
      cross join lateral (
        select sequence from crossing
        where journal_id = $1 and sequence >= asked.first and sequence <= asked.last
        order by sequence limit ${most}
      ) stored
      order by sequence limit ${most}
    ) stored
  ) numbered
  group by island order by 1`;

const uncountedRanges = `
  select uncounted.first::float8 as first, uncounted.last::float8 as last
  from unnest($2::bigint[], $3::bigint[]) as asked (first, last)
  join journal_accounted uncounted
    on journal_id = $1 and uncounted.last >= asked.first and uncounted.first <= asked.last
  order by 1 limit ${most}`;
