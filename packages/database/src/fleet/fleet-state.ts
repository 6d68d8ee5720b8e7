import { defaultDiskLimit } from '@visitor-counter/domain/disk-room';
import { maxClockError } from '@visitor-counter/wire/limits';
import { sql } from 'kysely';
import type { Db } from '../sql/query-builder.ts';

export interface FleetState {
  /** Devices in use, that is neither retired nor revoked, by connection. */
  readonly devices: Readonly<Record<'online' | 'offline' | 'never_seen', number>>;
  /** How many of them have each trouble. A device may have several. */
  readonly troubles: Readonly<Record<Trouble, number>>;
  /**
   * By how much the clocks of units are ahead of the server's (s): the median over the units that have sent a heartbeat
   * within 5 minutes and whose clocks are synchronised; null if there are none.
   */
  readonly clockAhead: number | null;
  /**
   * Crossings that were acknowledged and are not accounted for, without those of retired devices, which nothing delivers any
   * more; and those that were found lost within a day, of all devices.
   */
  readonly missing: number;
  readonly lost: number;
  /** Stored rejected messages, of all devices and of the device that has most. */
  readonly rejected: number;
  readonly mostRejected: number;
}

/** Reads the state of all devices of all companies. */
export async function readFleetState(db: Db): Promise<FleetState> {
  const { rows } = await sql<DeviceTotals>`${totals}`.execute(db);
  const { rows: gaps } = await sql<Gaps>`${totalGaps}`.execute(db);
  const [row] = rows;
  const [gap] = gaps;
  if (row === undefined || gap === undefined) throw new Error('an aggregate returned no row');
  const { online, offline, neverSeen, clockAhead, ...counts } = row;
  return {
    devices: { online, offline, never_seen: neverSeen },
    troubles: counts,
    clockAhead,
    ...gap,
  };
}

type DeviceTotals = Record<'online' | 'offline' | 'neverSeen' | Trouble, number> &
  Pick<FleetState, 'clockAhead'>;

/** What can be wrong with a device, in the words of metrics. */
type Trouble = 'silent' | 'clock' | 'beam' | 'storage' | 'disk' | 'cloned' | 'direction';

type Gaps = Pick<FleetState, 'missing' | 'lost' | 'rejected' | 'mostRejected'>;

const { bytes, percent } = defaultDiskLimit;

/** A unit is silent after the time of the alert `device-inactive`. A disk is low as in `admin device list --trouble`. */
const totals = sql.raw(`
  with used as (
    select device.id, direction_doubtful_since, state.last_activity_at as seen_at, state.heartbeat_at,
      coalesce(connection.online, false) as online, heartbeat->>'clock' as clock,
      heartbeat_integer(heartbeat, 'at') as said_at, heartbeat->>'storage' as storage,
      heartbeat_integer(heartbeat, 'diskFree') as free, heartbeat_integer(heartbeat, 'diskSize') as size,
      heartbeat->'beams' @> '[{"state":"blocked"}]' or heartbeat->'lines' ?| '{problem,flickering}' as is_faulty
    from device
    left join device_state state on state.device_id = device.id
    left join device_connection connection on connection.device_id = device.id
    where retired_at is null and secret_revoked_at is null
  )
  select count(*) filter (where seen_at is not null and online) as online,
    count(*) filter (where seen_at is not null and not online) as offline,
    count(*) filter (where seen_at is null) as never_seen,
    count(*) filter (where seen_at < now() - interval '15 minutes') as silent,
    count(*) filter (
      where clock = 'unsynced' or abs(said_at - epoch_ms(heartbeat_at)) > ${maxClockError}
    ) as clock,
    count(*) filter (where is_faulty) as beam,
    count(*) filter (where storage is not null) as storage,
    count(*) filter (where free < greatest(${bytes}, size / 100.0 * ${percent})) as disk,
    count(*) filter (where id in (
      select device_id from journal where conflict_at > now() - interval '1 day'
    )) as cloned,
    count(direction_doubtful_since) as direction,
    percentile_cont(0.5) within group (
      order by (said_at - epoch_ms(heartbeat_at)) / 1000
    ) filter (
      where clock = 'synced' and heartbeat_at between now() - interval '5 minutes' and now() + interval '1 hour'
    ) as clock_ahead
  from used`);

const totalGaps = sql.raw(`
  select
    (select coalesce(sum(count_sequences(missing)), 0) from journal
      join device on device.id = device_id where missing_since is not null and retired_at is null)::float8 as missing,
    (select coalesce(sum(lost_lately), 0) from journal
      where lost_at > now() - interval '1 day')::float8 as lost,
    coalesce(sum(count), 0)::bigint as rejected, coalesce(max(count), 0) as most_rejected
  from (select count(*) as count from rejected_message group by device_id) of_device`);
