import { type Kysely, sql } from 'kysely';
import { epochMs } from '../sql/instant.ts';
import { type DeviceAtStore, deviceColumns, joinStore } from './devices-in-trouble.ts';

/** A device with rejected messages that exceed its limits. */
interface DeviceOverLimits extends DeviceAtStore {
  /** When the first of them that is still stored arrived (epoch ms). */
  readonly since: number;
}

/** The devices of companies that exceed their limits, one row per device. */
export async function devicesOverLimits(
  db: Kysely<unknown>,
  companyIds: readonly number[],
): Promise<DeviceOverLimits[]> {
  const { rows } = await sql<DeviceOverLimits>`
    select ${deviceColumns},
      ${epochMs('first.received_at')} as since
    from device
    cross join lateral (
      select received_at from rejected_message
      where device_id = device.id and reason like 'limit:%' order by received_at limit 1
    ) first
    ${joinStore}
    where device.company_id = any(${companyIds})
    order by device.id`.execute(db);
  return rows;
}

export const gapKinds = ['crossings-missing', 'crossings-lost', 'cloned-unit', 'direction-doubtful'] as const;

/**
 * A device with missing crossings, or one that may count in the wrong direction; `since` (epoch ms) is when that was
 * found.
 */
interface DeviceWithGap extends DeviceOverLimits {
  readonly kind: (typeof gapKinds)[number];
  /**
   * How many crossings are missing or lost; of a cloned unit, how many messages were rejected because of it;
   * otherwise 0.
   */
  readonly count: number;
}

/**
 * Devices of companies with missing crossings, with crossings that were found to be lost within the last day, with a
 * journal that two units write (for a day after the last conflict, and while there are rejected messages with
 * conflicting crossings), or suspected of counting in the wrong direction.
 */
export async function devicesWithGaps(
  db: Kysely<unknown>,
  companyIds: readonly number[],
): Promise<DeviceWithGap[]> {
  const { rows } = await sql<DeviceWithGap>`
    select gap.kind, ${deviceColumns}, gap.count::float8 as count,
      ${epochMs('gap.since')} as since
    from (
      select 'crossings-missing' as kind, device_id, sum(last - first + 1) as count, min(since) as since
      from journal_missing group by device_id
      union all
      select 'crossings-lost', device_id, sum(last - first + 1), min(since)
      from journal_uncounted join journal on journal.id = journal_id
      where reason = 'lost' and since > now() - interval '1 day' group by device_id
      union all
      select 'cloned-unit', device_id, max(number), min(confirmed_at)
      from cloned_journal cross join lateral (
        select count(*) as number from rejected_message
        where rejected_message.device_id = cloned_journal.device_id and starts_with(reason, 'conflict')
      ) conflicts
      where confirmed_at is not null and (number > 0 or seen_at > now() - interval '1 day') group by device_id
      union all
      select 'direction-doubtful', device_id, 0, since from doubtful_direction
    ) gap
    join device on device.id = gap.device_id
    ${joinStore}
    where device.company_id = any(${companyIds}) and device.retired_at is null
    order by device.id, gap.kind`.execute(db);
  return rows;
}
