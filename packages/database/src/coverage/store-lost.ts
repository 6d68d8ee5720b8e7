import type { ClientBase } from 'pg';
import { numberColumns } from '../sql/arrays.ts';
import { runStatement } from '../sql/run-statement.ts';
import { findGaps } from './find-gaps.ts';
import { joined, type Range, subtract } from './ranges.ts';

/**
 * The most lost ranges that are stored for one device, many times those of a unit that is only broken: whatever is read
 * about a device includes them. The journal only advances over further ones, because its unit will never send them.
 */
const mostLost = 10_000;

/** The lost ranges that a unit has declared. */
interface DeclaredLost {
  readonly stored: readonly Range[];
  /** Those in excess of `mostLost`. */
  readonly unstored: readonly Range[];
  /** Those that this call has not compared. */
  readonly unseen: readonly Range[];
}

/** A sequence that a unit cannot deliver is lost only where it is neither stored nor rejected. */
export async function storeLost(
  client: ClientBase,
  journalId: number,
  through: number,
  lost: readonly Range[],
): Promise<DeclaredLost> {
  const open = lost.map(({ first, last }) => ({ first: Math.max(first, through + 1), last }));
  const { gaps, unseen } = await findGaps(client, journalId, joined(open));
  if (gaps.length === 0) return { stored: [], unstored: [], unseen };
  const stored = await runStatement<Range>(client, 'store-lost', lostStatement, [
    journalId,
    ...numberColumns(gaps, 'first', 'last'),
  ]);
  return { stored, unstored: subtract(gaps, stored), unseen };
}

const lostStatement = `
  insert into journal_uncounted (journal_id, first, last, reason)
  select $1::integer, first, last, 'lost' from unnest($2::bigint[], $3::bigint[]) as lost (first, last)
  order by first limit greatest(0, ${mostLost} - (
    select count(*) from (
      select from journal join journal_uncounted known on known.journal_id = journal.id and known.reason = 'lost'
      where journal.device_id = (select device_id from journal where id = $1::integer) limit ${mostLost}
    ) known
  ))
  on conflict do nothing returning first::float8 as first, last::float8 as last`;
