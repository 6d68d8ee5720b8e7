import { sql } from 'kysely';
import { anyOf, type Db, instant, integers } from '../sql/query-builder.ts';
import { joinCurrentStore } from '../stores/store-facts.ts';

/** How many sequences of one device a reader compares with the stored ones at most. */
const countable = 10_000;

/** Crossings that are missing from the counts of a device. Instants are epoch ms. */
interface DeviceGaps {
  /** Crossings that were acknowledged to its unit and are neither stored nor rejected nor lost. */
  readonly missing: number;
  /** The instant of the last crossing before the first of them; null if there is none. */
  readonly missingFrom: number | null;
  /** Messages with crossings that conflict with stored ones, and are not counted. */
  readonly conflicts: number;
  /** The earliest instant of those crossings. */
  readonly conflictsFrom: number | null;
  /**
   * Ranges of crossings that will never arrive, each with the period in which they were recorded, as far as it is
   * known.
   */
  readonly lost: readonly { readonly count: number; readonly from: number; readonly until: number }[];
}

export const noGaps: DeviceGaps = {
  missing: 0,
  missingFrom: null,
  conflicts: 0,
  conflictsFrom: null,
  lost: [],
};

/** The stored state of a device. Instants are epoch ms. */
export interface DeviceFacts {
  readonly id: number;
  readonly serial: string;
  readonly name: string;
  readonly storeId: number;
  readonly registeredAt: number;
  readonly online: boolean;
  readonly onlineChangedAt: number | null;
  readonly lastActivityAt: number | null;
  readonly heartbeatAt: number | null;
  /** As its unit sent it. */
  readonly heartbeat: unknown;
  /** The instant of the last crossing that its unit knew to be acknowledged. */
  readonly reachedAt: number | null;
  /**
   * How many of the crossings that it had recorded after that one are stored now; 0 if there are more than `countable`, until
   * the next heartbeat.
   */
  readonly storedSince: number;
  /** Since when it is suspected of counting in the wrong direction. */
  readonly directionDoubtfulSince: number | null;
  /** The arrival of the first heartbeat that reported a flickering beam, if alerts are evaluated. */
  readonly flickeringSince: number | null;
  readonly gaps: DeviceGaps;
}

/** How long the lost crossings of a device are reported by default (ms). */
const lately = 24 * 60 * 60_000;

/**
 * The devices that are in stores at `now` (epoch ms), without those retired by then; by serial number. Lost crossings are
 * included if they are after `lostSince` (epoch ms).
 *
 * `offset 0`: without it the database parses the heartbeat again for each use of its values.
 */
export async function deviceFacts(
  db: Db,
  storeIds: readonly number[],
  now: number,
  lostSince: number = now - lately,
): Promise<DeviceFacts[]> {
  const { rows } = await sql<Omit<DeviceFacts, 'gaps'>>`
    select device.id, device.serial, device.name, current.store_id, device.registered_at,
      coalesce(connection.online, false) as online, connection.online_changed_at, state.last_activity_at,
      state.heartbeat_at, state.heartbeat, device.direction_doubtful_since,
      (device.troubles->>'flickering')::float8 as flickering_since, reached.at as reached_at,
      coalesce(since.stored, 0) as stored_since
    from (
      select distinct device_id from device_assignment where store_id = ${anyOf(storeIds)}
    ) candidate
    join device on device.id = candidate.device_id and (device.retired_at is null or device.retired_at > ${instant(now)})
    ${joinCurrentStore(instant(now))}
    left join device_state state on state.device_id = device.id
    left join device_connection connection on connection.device_id = device.id
    cross join lateral (
      select heartbeat_integer(heartbeat, 'recorded') as recorded,
        heartbeat_integer(heartbeat, 'acknowledged') as acknowledged, heartbeat->>'journal' as journal offset 0
    ) reported
    left join journal on journal.device_id = device.id and journal.name = reported.journal
      and reported.recorded > reported.acknowledged
    left join crossing reached on reached.journal_id = journal.id and reached.sequence = reported.acknowledged
    left join lateral (
      select count(*) as stored from crossing
      where crossing.journal_id = journal.id and crossing.sequence > reported.acknowledged
        and crossing.sequence <= reported.recorded and reported.recorded - reported.acknowledged <= ${countable}
    ) since on true
    where current.store_id = ${anyOf(storeIds)}
    order by device.serial collate "C"`.execute(db);
  const ids = rows.map(({ id }) => id);
  const gaps = await deviceGaps(db, ids, lostSince);
  return rows.map((row) => ({ ...row, gaps: gaps.get(row.id) ?? noGaps }));
}

/**
 * The gaps of devices that have any, by device id; lost crossings only those that happened after `since` (epoch ms).
 */
async function deviceGaps(
  db: Db,
  deviceIds: readonly number[],
  since: number,
): Promise<ReadonlyMap<number, DeviceGaps>> {
  const { rows } = await sql<DeviceGaps & { deviceId: number }>`
    select device_id, coalesce(gap.count, 0)::float8 as missing,
      case when not gap.is_unknown then gap.at end as missing_from,
      conflicts.count as conflicts, conflicts.at as conflicts_from,
      coalesce(lost.ranges, '[]') as lost
    from unnest(${integers(deviceIds)}) as asked (device_id)
    left join lateral (
      select sum(count_sequences(missing)) as count, min(before.at) as at, bool_or(before.at is null) as is_unknown
      from journal left join lateral (
        select at from crossing
        where crossing.journal_id = journal.id and sequence < lower(missing)
        order by sequence desc limit 1
      ) before on true
      where journal.device_id = asked.device_id and missing_since is not null
      having count(*) > 0
    ) gap on true
    left join lateral (
      select count(*) as count, case when count(*) > 0 then (
        select min(conflicts_from) from journal where journal.device_id = asked.device_id
      ) end as at
      from rejected_message
      where rejected_message.device_id = asked.device_id and starts_with(reason, 'conflict')
    ) conflicts on true
    left join lateral (
      select json_agg(json_build_object('count', count, 'from', epoch_ms(from_at), 'until', epoch_ms(until_at))) as ranges
      from (${lost}) as range
      where until_at >= ${instant(since)}
    ) lost on true
    where gap.count > 0 or conflicts.count > 0 or lost.ranges is not null`.execute(db);
  return new Map(rows.map(({ deviceId, ...gaps }) => [deviceId, gaps]));
}

/**
 * Lost crossings were recorded between the stored ones around them, and before they were known to be lost. Those that their
 * unit has delivered later do not count. They are looked up only in the latest ranges, of at most `countable` sequences in
 * total, of the ten journals that have lost some most recently.
 */
const lost = sql.raw(`
  select last - first + 1 - delivered.count as count,
    least(coalesce(before.at, device.registered_at), until_at) as from_at, until_at
  from (
    select journal.id, lost_at, lower(part) as first, upper(part) - 1 as last,
      sum(upper(part) - lower(part)) over (order by lost_at desc, lower(part) desc) as sequences
    from (
      select id, lost, lost_at from journal where journal.device_id = asked.device_id and lost_at is not null
      order by lost_at desc limit 10
    ) journal cross join lateral unnest(lost) part
  ) lost
  join device on device.id = asked.device_id
  cross join lateral (
    select count(*) as count from crossing
    where crossing.journal_id = lost.id and sequence >= first and sequence <= last and sequences <= ${countable}
  ) delivered
  left join lateral (
    select at from crossing where crossing.journal_id = lost.id and sequence < first
    order by sequence desc limit 1
  ) before on true
  left join lateral (
    select at from crossing where crossing.journal_id = lost.id and sequence > last
    order by sequence limit 1
  ) after on true
  cross join lateral (select coalesce(after.at, lost_at) as until_at) until
  where delivered.count <= last - first`);
