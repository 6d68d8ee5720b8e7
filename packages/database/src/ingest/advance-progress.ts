import type { Pool } from 'pg';
import type { DeviceLimits } from './device-limits.ts';
import { JournalIds, type JournalName } from './journal-ids.ts';
import { numberArray } from './sql-arrays.ts';

/** Sequences of a journal, both ends included, of which it is known that they need not be sent again. */
export interface SettledRange {
  readonly deviceId: number;
  readonly journal: string;
  readonly first: number;
  readonly last: number;
  /** Of a message that is durable, be it as rejected alone; else of what the unit reports. */
  readonly isReceived?: boolean;
}

export interface JournalProgress {
  readonly deviceId: number;
  readonly journal: string;
  /** Every sequence up to here is stored, or was in a range that was told to be settled. */
  readonly through: number;
  /** There may be more than one call looks at; the next one goes on from here. */
  readonly more: boolean;
}

/** How far one call looks beyond what was reached before. */
const span = 10_000;

/**
 * Brings the progress of the journals of `ranges` up to date and returns it.
 *
 * A journal's progress is the longest prefix without a hole of what `crossing` holds and of the ranges. It
 * only grows, and every crossing it covers is visible, hence durable, before the statement begins. To be
 * called after the transaction that stored the messages: of two gateways that store parts of one journal
 * at once, the one whose transaction ends last sees both.
 *
 * Journals that are not in the database are left out, except those of received messages, which are added as far as
 * `limits` allow: a journal may begin with a message of which every crossing is rejected.
 */
export async function advanceProgress(
  pool: Pool,
  ranges: readonly SettledRange[],
  limits?: DeviceLimits,
): Promise<readonly JournalProgress[]> {
  const progress = await advanceKnown(pool, ranges);
  const known = new Set(progress.map(keyOf));
  const unknown = ranges.filter((range) => range.isReceived && !known.has(keyOf(range)));
  if (unknown.length === 0) return progress;
  await addJournals(pool, unknown, limits);
  return [...progress, ...(await advanceKnown(pool, unknown))];
}

function keyOf({ deviceId, journal }: JournalName): string {
  return `${deviceId} ${journal}`;
}

async function addJournals(
  pool: Pool,
  journals: readonly JournalName[],
  limits: DeviceLimits | undefined,
): Promise<void> {
  const client = await pool.connect();
  try {
    await new JournalIds().learn(client, journals, limits);
  } finally {
    client.release();
  }
}

async function advanceKnown(
  pool: Pool,
  ranges: readonly SettledRange[],
): Promise<readonly JournalProgress[]> {
  const { rows } = await pool.query<ProgressRow>({
    name: 'advance-progress',
    text: statement,
    values: [
      numberArray(ranges.map(({ deviceId }) => deviceId)),
      ranges.map(({ journal }) => journal),
      numberArray(ranges.map(({ first }) => first)),
      numberArray(ranges.map(({ last }) => last)),
    ],
  });
  return rows.map(({ device_id, name, reached, more }) => ({
    ...{ deviceId: device_id, journal: name, through: Number(reached), more },
  }));
}

interface ProgressRow {
  readonly device_id: number;
  readonly name: string;
  /** 64-bit numbers arrive as text. */
  readonly reached: string;
  readonly more: boolean;
}

/**
 * A range that touches what was reached before is taken in one step, however long. After that a sequence is
 * reached when as many distinct ones up to it are settled as lie between. Written in the order of the key,
 * as every writer does.
 */
const statement = `
  with told as materialized (
    select journal.id, sent.first, sent.last
    from unnest($1::integer[], $2::text[], $3::bigint[], $4::bigint[]) as sent (device_id, name, first, last)
    join journal using (device_id, name)
  ), known as materialized (
    select id, greatest(before, max(last) filter (where first <= before + 1)) as through
    from (
      select told.*, coalesce(progress.through, 0) as before
      from told left join journal_progress progress on progress.journal_id = told.id
    ) touching
    group by id, before
  ), reached as materialized (
    select known.id, known.through, known.through + run.length as reached
    from known cross join lateral (
      select count(*) as length
      from (
        select sequence, row_number() over (order by sequence) as place
        from (
          select sequence from crossing
          where journal_id = known.id and sequence > known.through and sequence <= known.through + ${span}
          union
          select generate_series(greatest(first, known.through + 1), least(last, known.through + ${span}))
          from told
          where told.id = known.id and last > known.through and first <= known.through + ${span}
        ) settled
      ) numbered
      where sequence = known.through + place
    ) run
  ), kept as (
    insert into journal_progress as progress (journal_id, through)
    select id, reached from reached where reached > 0 order by id
    on conflict (journal_id) do update set through = excluded.through
      where progress.through < excluded.through
  )
  select journal.device_id, journal.name, reached, reached = through + ${span} as more
  from reached join journal using (id)`;
