import type { ClientBase } from 'pg';
import { numberColumns } from '../sql/arrays.ts';
import { type Range, splitAfter, subtract } from './ranges.ts';

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
  const stored = await client.query<Row>({ name: 'find-stored-ranges', text: storedRanges, values });
  const uncounted = await client.query<Row>({ name: 'find-uncounted-ranges', text: uncountedRanges, values });
  const storedTotal = stored.rows.reduce((sum, { size }) => sum + Number(size), 0);
  const end = Math.min(
    storedTotal < most ? Number.POSITIVE_INFINITY : Number(stored.rows.at(-1)?.last),
    uncounted.rows.length < most ? Number.POSITIVE_INFINITY : Number(uncounted.rows.at(-1)?.first) - 1,
  );
  const [seen, unseen] = splitAfter(ranges, end);
  return { gaps: subtract(seen, [...stored.rows, ...uncounted.rows].map(rangeOf)), unseen };
}

/** 64-bit numbers arrive as text. */
interface Row {
  readonly first: string;
  readonly last: string;
  readonly size: string;
}

function rangeOf({ first, last }: Row): Range {
  return { first: Number(first), last: Number(last) };
}

const storedRanges = `
  select min(sequence) as first, max(sequence) as last, count(*) as size
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
  select uncounted.first, uncounted.last, 0 as size
  from unnest($2::bigint[], $3::bigint[]) as asked (first, last)
  join journal_accounted uncounted
    on journal_id = $1 and uncounted.last >= asked.first and uncounted.first <= asked.last
  order by 1 limit ${most}`;
