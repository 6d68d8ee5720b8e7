import { sql } from 'kysely';
import { timestamp } from '../sql/instant.ts';
import type { Reader } from '../sql/snapshot.ts';
import { heartbeatInteger, heartbeatText } from './heartbeat-fields.ts';

/** The stored state of a device. Instants are epoch ms. */
export interface DeviceFacts {
  readonly id: number;
  readonly serial: string;
  readonly name: string;
  readonly store_id: number;
  readonly registered_at: number;
  readonly online: boolean;
  readonly online_changed_at: number | null;
  readonly last_activity_at: number | null;
  readonly heartbeat_at: number | null;
  /** As its unit sent it. */
  readonly heartbeat: unknown;
  /** The instant of the last crossing that its unit knew to be acknowledged. */
  readonly reached_at: number | null;
  /** How many of the crossings that it had recorded after that one are stored now. */
  readonly stored_since: number;
  /** Since when it is suspected of counting in the wrong direction. */
  readonly direction_doubtful_since: number | null;
  readonly gaps: DeviceGaps;
}

/**
 * The most sequences of a heartbeat that a reader compares with the stored ones. If there are more, none of the pending
 * ones counts as stored since, and all acknowledged ones count as missing until a gateway has compared them.
 */
const countable = 10_000;

/** How long the lost crossings of a device are reported by default (ms). */
const lately = 24 * 60 * 60_000;

/**
 * The devices that are in stores at `now` (epoch ms), retired ones left out; by serial number. Lost crossings are
 * included if they are after `lostSince` (epoch ms).
 */
export async function deviceFacts(
  db: Reader,
  storeIds: readonly number[],
  now: number,
  lostSince: number = now - lately,
): Promise<DeviceFacts[]> {
  const { rows } = await sql<Omit<DeviceFacts, 'gaps'>>`
    select device.id, device.serial, device.name, current.store_id, ${ms('device.registered_at')} as registered_at,
      coalesce(connection.online, false) as online, ${ms('connection.online_changed_at')} as online_changed_at,
      ${ms('state.last_activity_at')} as last_activity_at, ${ms('state.heartbeat_at')} as heartbeat_at,
      state.heartbeat, ${ms('doubtful.since')} as direction_doubtful_since, ${ms('reached.at')} as reached_at, coalesce(since.stored, 0)::integer as stored_since
    from (
      select distinct device_id from device_assignment where store_id = any(${storeIds}::integer[])
    ) candidate
    join device on device.id = candidate.device_id and device.retired_at is null
    cross join lateral (
      select store_id from device_assignment
      where device_id = device.id and device_assignment.since <= ${timestamp(now)}::timestamptz
      order by device_assignment.since desc limit 1
    ) current
    left join doubtful_direction doubtful on doubtful.device_id = device.id
    left join device_state state on state.device_id = device.id
    left join device_connection connection on connection.device_id = device.id
    cross join lateral (
      select ${sql.raw(heartbeat.recorded)} as recorded, ${sql.raw(heartbeat.acknowledged)} as acknowledged,
        ${sql.raw(heartbeat.journal)} as journal
    ) said
    left join journal on journal.device_id = device.id and journal.name = said.journal
      and said.recorded > said.acknowledged
    left join crossing reached on reached.journal_id = journal.id and reached.sequence = said.acknowledged
    left join lateral (
      select count(*) as stored from crossing
      where crossing.journal_id = journal.id and crossing.sequence > said.acknowledged
        and crossing.sequence <= said.recorded and said.recorded - said.acknowledged <= ${countable}
    ) since on true
    where current.store_id = any(${storeIds}::integer[])
    order by device.serial collate "C"`.execute(db);
  const ids = rows.map(({ id }) => id);
  const gaps = await deviceGaps(db, ids, lostSince);
  return rows.map((row) => ({ ...row, gaps: gaps.get(row.id) ?? noGaps }));
}

const heartbeat = {
  recorded: heartbeatInteger('state.heartbeat', 'recorded'),
  acknowledged: heartbeatInteger('state.heartbeat', 'acknowledged'),
  journal: heartbeatText('state.heartbeat', 'journal'),
};

/** Epoch ms; instants from the database's clock have microseconds. */
function ms(column: string) {
  return sql.raw(`floor(extract(epoch from ${column}) * 1000)::float8`);
}

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
  db: Reader,
  deviceIds: readonly number[],
  since: number,
): Promise<ReadonlyMap<number, DeviceGaps>> {
  const { rows } = await sql<DeviceGaps & { device_id: number }>`
    select device_id, coalesce(missing.count, 0)::float8 + coalesce(unseen.count, 0)::float8 as missing,
      case when missing.is_unknown or unseen.is_unknown then null
        else ${ms('least(missing.at, unseen.at)')} end as missing_from,
      conflicts.count::integer as conflicts, ${ms('conflicts.at')} as conflicts_from,
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
      select json_agg(json_build_object('count', count, 'from', ${ms('from_at')}, 'until', ${ms('until_at')})) as ranges
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
    select journal.id, said.acknowledged, coalesce(progress.checked, 0) as checked
    from (
      select ${heartbeat.acknowledged} as acknowledged, ${heartbeat.journal} as journal
      from device_state state where state.device_id = asked.device_id
    ) said
    left join journal on journal.device_id = asked.device_id and journal.name = said.journal
    left join journal_progress progress on progress.journal_id = journal.id
    where said.journal is not null and said.acknowledged > coalesce(progress.checked, 0)
  ) said
  left join lateral (
    select (
      select count(*) from (
        select sequence from crossing
        where crossing.journal_id = said.id and sequence > checked and sequence <= acknowledged
        union
        select generate_series(greatest(first, checked + 1), least(last, acknowledged))
        from journal_accounted uncounted
        where uncounted.journal_id = said.id and last > checked and first <= acknowledged
      ) accounted
    ) as count
    where acknowledged - checked <= ${countable}
  ) stored on true
  left join lateral (
    select at from crossing where crossing.journal_id = said.id and sequence <= checked
    order by sequence desc limit 1
  ) before on true
  where acknowledged - checked > coalesce(stored.count, 0)`);

/** Lost crossings were recorded between the stored ones around them, and before they were known to be lost. */
const lost = sql.raw(`
  select last - first + 1 as count, least(coalesce(before.at, device.registered_at), until_at) as from_at, until_at
  from journal
  join device on device.id = journal.device_id
  join journal_uncounted uncounted on uncounted.journal_id = journal.id and reason = 'lost'
  left join lateral (
    select at from crossing where crossing.journal_id = journal.id and sequence < first
    order by sequence desc limit 1
  ) before on true
  left join lateral (
    select at from crossing where crossing.journal_id = journal.id and sequence > last
    order by sequence limit 1
  ) after on true
  cross join lateral (select coalesce(after.at, uncounted.since) as until_at) until
  where journal.device_id = asked.device_id`);
