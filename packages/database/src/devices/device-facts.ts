import { type Kysely, sql } from 'kysely';
import { heartbeatInteger, heartbeatText } from '../sql/heartbeat-fields.ts';
import { epochMs, timestamp } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';
import { joinCurrentStore } from '../stores/stores.ts';
import { countable, type DeviceGaps, deviceGaps, noGaps } from './device-gaps.ts';

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
   * How many of the crossings that it had recorded after that one are stored now. If there are more than `countable`, this
   * is an estimate until the last one is stored: the position of the latest stored one, as units deliver in their order.
   */
  readonly storedSince: number;
  /** Since when it is suspected of counting in the wrong direction. */
  readonly directionDoubtfulSince: number | null;
  readonly gaps: DeviceGaps;
}

/** If a heartbeat reports more pending crossings than this, none of them counts as stored. */
const mostCounted = 1_000_000;

/** How long the lost crossings of a device are reported by default (ms). */
const lately = 24 * 60 * 60_000;

/**
 * The devices that are in stores at `now` (epoch ms), retired ones left out; by serial number. Lost crossings are
 * included if they are after `lostSince` (epoch ms).
 *
 * `offset 0`: without it the database parses the heartbeat again for each use of its values.
 */
export async function deviceFacts(
  db: Kysely<DB>,
  storeIds: readonly number[],
  now: number,
  lostSince: number = now - lately,
): Promise<DeviceFacts[]> {
  const { rows } = await sql<Omit<DeviceFacts, 'gaps'>>`
    select device.id, device.serial, device.name, current.store_id, ${epochMs('device.registered_at')} as registered_at,
      coalesce(connection.online, false) as online, ${epochMs('connection.online_changed_at')} as online_changed_at,
      ${epochMs('state.last_activity_at')} as last_activity_at, ${epochMs('state.heartbeat_at')} as heartbeat_at,
      state.heartbeat, ${epochMs('doubtful.since')} as direction_doubtful_since, ${epochMs('reached.at')} as reached_at,
      case when latest.sequence < reported.recorded then latest.sequence - reported.acknowledged
        else coalesce(since.stored, 0) end::integer as stored_since
    from (
      select distinct device_id from device_assignment where store_id = any(${storeIds}::integer[])
    ) candidate
    join device on device.id = candidate.device_id and device.retired_at is null
    ${joinCurrentStore(sql`${timestamp(now)}::timestamptz`)}
    left join doubtful_direction doubtful on doubtful.device_id = device.id
    left join device_state state on state.device_id = device.id
    left join device_connection connection on connection.device_id = device.id
    cross join lateral (
      select ${recorded} as recorded, ${acknowledged} as acknowledged, ${journal} as journal offset 0
    ) reported
    left join journal on journal.device_id = device.id and journal.name = reported.journal
      and reported.recorded > reported.acknowledged
    left join crossing reached on reached.journal_id = journal.id and reached.sequence = reported.acknowledged
    left join lateral (
      select sequence from crossing
      where crossing.journal_id = journal.id and crossing.sequence > reported.acknowledged
        and crossing.sequence <= reported.recorded and reported.recorded - reported.acknowledged between ${countable + 1} and ${mostCounted}
      order by sequence desc limit 1
    ) latest on true
    left join lateral (
      select count(*) as stored from crossing
      where crossing.journal_id = journal.id and crossing.sequence > reported.acknowledged
        and crossing.sequence <= reported.recorded
        and (reported.recorded - reported.acknowledged <= ${countable} or latest.sequence = reported.recorded)
    ) since on true
    where current.store_id = any(${storeIds}::integer[])
    order by device.serial collate "C"`.execute(db);
  const ids = rows.map(({ id }) => id);
  const gaps = await deviceGaps(db, ids, lostSince);
  return rows.map((row) => ({ ...row, gaps: gaps.get(row.id) ?? noGaps }));
}

const recorded = sql.raw(heartbeatInteger('state.heartbeat', 'recorded'));
const acknowledged = sql.raw(heartbeatInteger('state.heartbeat', 'acknowledged'));
const journal = sql.raw(heartbeatText('state.heartbeat', 'journal'));
