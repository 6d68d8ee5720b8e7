import { type Kysely, sql } from 'kysely';
import { accountedRanges } from '../crossings/accounted-ranges.ts';
import { heartbeatInteger, heartbeatText } from '../sql/heartbeat-fields.ts';
import { epochMs, timestamp } from '../sql/instant.ts';

/**
 * The most sequences of a heartbeat that every reader compares with the stored ones. If there are more, all acknowledged
 * ones count as missing until a gateway has compared them.
 */
export const countable = 10_000;

/** Crossings that are missing from the counts of a device. Instants are epoch ms. */
export interface DeviceGaps {
  /** Crossings that were acknowledged to its unit and are neither stored nor rejected nor lost. */
  readonly missing: number;
  /** The instant of the last crossing before the first of them; null if there is none. */
  readonly missing_from: number | null;
  /** Messages with crossings that conflict with stored ones, and are not counted. */
  readonly conflicts: number;
  /** The earliest instant of those crossings. */
  readonly conflicts_from: number | null;
  /**
   * Ranges of crossings that will never arrive, each with the period in which they were recorded, as far as it is
   * known.
   */
  readonly lost: readonly { readonly count: number; readonly from: number; readonly until: number }[];
}

export const noGaps: DeviceGaps = {
  missing: 0,
  missing_from: null,
  conflicts: 0,
  conflicts_from: null,
  lost: [],
};

/**
 * The gaps of devices that have any, by device id; lost crossings only those that happened after `since` (epoch ms). The
 * latest heartbeat is compared with what is stored even if no gateway has done that yet.
 */
export async function deviceGaps(
  db: Kysely<unknown>,
  deviceIds: readonly number[],
  since: number,
): Promise<ReadonlyMap<number, DeviceGaps>> {
  const { rows } = await sql<DeviceGaps & { device_id: number }>`
    select device_id, coalesce(missing.count, 0)::float8 + coalesce(unseen.count, 0)::float8 as missing,
      case when missing.is_unknown or unseen.is_unknown then null
        else ${epochMs('least(missing.at, unseen.at)')} end as missing_from,
      conflicts.count::integer as conflicts, ${epochMs('conflicts.at')} as conflicts_from,
      coalesce(lost.ranges, '[]') as lost
    from unnest(${deviceIds}::integer[]) as asked (device_id)
    left join lateral (
      select sum(last - first + 1) as count, min(before.at) as at, bool_or(before.at is null) as is_unknown
      from journal_missing left join lateral (
        select at from crossing
        where crossing.journal_id = journal_missing.journal_id and sequence < first
        order by sequence desc limit 1
      ) before on true
      where journal_missing.device_id = asked.device_id
      having count(*) > 0
    ) missing on true
    left join lateral (${unseen}) unseen on true
    left join lateral (
      select count(*) as count, case when count(*) > 0 then (
        select min(conflicts_from) from cloned_journal where cloned_journal.device_id = asked.device_id
      ) end as at
      from rejected_message
      where rejected_message.device_id = asked.device_id and starts_with(reason, 'conflict')
    ) conflicts on true
    left join lateral (
      select json_agg(json_build_object('count', count, 'from', ${epochMs('from_at')}, 'until', ${epochMs('until_at')})) as ranges
      from (${lost}) as range
      where until_at >= ${timestamp(since)}::timestamptz
    ) lost on true
    where missing.count > 0 or unseen.count > 0 or conflicts.count > 0 or lost.ranges is not null`.execute(
    db,
  );
  return new Map(rows.map(({ device_id, ...gaps }) => [device_id, gaps]));
}

/**
 * Sequences that the latest heartbeat reports as acknowledged, that no gateway has compared yet, and that are not
 * accounted for. One that is both stored and uncounted, after a retry, counts once.
 */
const unseen = sql.raw(`
  select greatest(0, acknowledged - checked - coalesce(stored.count, 0)) as count, before.at, before.at is null as is_unknown
  from (
    select journal.id, reported.acknowledged, coalesce(progress.checked, 0) as checked
    from (
      select ${heartbeatInteger('state.heartbeat', 'acknowledged')} as acknowledged, ${heartbeatText('state.heartbeat', 'journal')} as journal
      from device_state state where state.device_id = asked.device_id
    ) reported
    left join journal on journal.device_id = asked.device_id and journal.name = reported.journal
    left join journal_progress progress on progress.journal_id = journal.id
    where reported.journal is not null and reported.acknowledged > coalesce(progress.checked, 0)
  ) reported
  left join lateral (
    select (
      select count(*) from (
        select sequence from crossing
        where crossing.journal_id = reported.id and sequence > checked and sequence <= acknowledged
        union
        select generate_series(greatest(first, checked + 1), least(last, acknowledged))
        from (${accountedRanges('reported.id', '(checked + 1)', 'acknowledged')}) uncounted
      ) accounted
    ) as count
    where acknowledged - checked <= ${countable}
  ) stored on true
  left join lateral (
    select at from crossing where crossing.journal_id = reported.id and sequence <= checked
    order by sequence desc limit 1
  ) before on true
  where acknowledged - checked > coalesce(stored.count, 0)`);

/**
 * Lost crossings were recorded between the stored ones around them, and before they were known to be lost. Those that their
 * unit has delivered later do not count. They are looked up only in the latest ranges,
 * of at most `countable` sequences in total.
 */
const lost = sql.raw(`
  select last - first + 1 - delivered.count as count,
    least(coalesce(before.at, device.registered_at), until_at) as from_at, until_at
  from (
    select journal_id, first, last, since, sum(last - first + 1) over (order by since desc) as sequences
    from journal join journal_uncounted on journal_id = journal.id and reason = 'lost'
    where journal.device_id = asked.device_id
  ) uncounted
  join device on device.id = asked.device_id
  cross join lateral (
    select count(*) from (
      select from crossing
      where crossing.journal_id = uncounted.journal_id and sequence >= first and sequence <= last
    ) stored
    where sequences <= ${countable}
  ) delivered
  left join lateral (
    select at from crossing where crossing.journal_id = uncounted.journal_id and sequence < first
    order by sequence desc limit 1
  ) before on true
  left join lateral (
    select at from crossing where crossing.journal_id = uncounted.journal_id and sequence > last
    order by sequence limit 1
  ) after on true
  cross join lateral (select coalesce(after.at, uncounted.since) as until_at) until
  where delivered.count <= last - first`);
