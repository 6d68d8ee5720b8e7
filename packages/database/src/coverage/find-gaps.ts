import type { ClientBase } from 'pg';
import { lostRanges, rejectedRanges } from '../crossings/accounted-ranges.ts';
import { numberColumns } from '../sql/arrays.ts';
import { runStatement } from '../sql/run-statement.ts';
import { type Range, sizeOf, splitAfter, subtract } from './ranges.ts';

/** The result of one call. */
interface Gaps<Part extends Range> {
  /** Parts that are neither stored nor accounted for otherwise. */
  readonly gaps: readonly Part[];
  /** Parts that this call did not reach: pass them to the next one. */
  readonly unseen: readonly Part[];
}

/** How many stored crossings, and how many rejected ranges, one call reads. */
const most = 10_000;

/**
 * Finds the parts of `ranges` that are neither stored, rejected nor lost. The ranges are sorted and do not overlap.
 * The cost depends on the number of stored crossings in the ranges, not on the length of the ranges.
 */
export async function findGaps<Part extends Range>(
  client: ClientBase,
  journalId: number,
  ranges: readonly Part[],
): Promise<Gaps<Part>> {
  const [from, to] = [ranges[0], ranges.at(-1)];
  if (from === undefined || to === undefined) return { gaps: [], unseen: [] };
  const values = [journalId, ...numberColumns(ranges, 'first', 'last')];
  const stored = await runStatement<Range>(client, 'find-stored-ranges', storedRanges, values);
  const known = await runStatement<Range>(client, 'find-known-ranges', knownRanges, values);
  const bounds = [journalId, from.first, to.last];
  const lost = await runStatement<Range>(client, 'find-lost-ranges', lostStatement, bounds);
  const end = Math.min(
    sizeOf(stored) < most ? Number.POSITIVE_INFINITY : (stored.at(-1)?.last ?? 0),
    known.length < most ? Number.POSITIVE_INFINITY : (known.at(-1)?.first ?? 1) - 1,
  );
  const [seen, unseen] = splitAfter(ranges, end);
  return { gaps: subtract(seen, [...stored, ...known, ...lost]), unseen };
}

/** The ranges, sorted so that the database reads one after the other, and stops when it has read enough. */
const askedInOrder = 'select * from unnest($2::bigint[], $3::bigint[]) as asked (first, last) order by first';

const storedRanges = `
  select min(sequence)::float8 as first, max(sequence)::float8 as last
  from (
    select sequence, sequence - row_number() over (order by sequence) as island
    from (
      select sequence from (${askedInOrder}) asked
      cross join lateral (
        select sequence from crossing
        where journal_id = $1 and sequence >= asked.first and sequence <= asked.last
        order by sequence limit ${most}
      ) stored
      order by asked.first, sequence limit ${most}
    ) stored
  ) numbered
  group by island order by 1`;

const knownRanges = `
  select known.first::float8 as first, known.last::float8 as last
  from (${askedInOrder}) asked
  cross join lateral (${rejectedRanges('$1::integer', 'asked.first', 'asked.last')}) known
  order by asked.first, known.first limit ${most}`;

const lostStatement = `
  select first::float8 as first, last::float8 as last
  from (${lostRanges('$1::integer', '$2::bigint', '$3::bigint')}) lost`;
