import { sql } from 'kysely';
import { isRateExceeded } from '../devices/device-states.ts';
import { devicesInStores } from '../devices/list-devices.ts';
import { anyOf, type Db, instant } from '../sql/query-builder.ts';

/** A device, and the store it belongs to now. */
export type DeviceAtStore = Awaited<ReturnType<ReturnType<typeof devicesAtStores>['execute']>>[number];

/** The devices of companies, with the stores they belong to now. */
function devicesAtStores(db: Db, companyIds: readonly number[]) {
  return devicesInStores(db)
    .select(['device.id as deviceId', 'device.companyId', 'device.serial', 'device.name'])
    .select(['store.id as storeId', 'store.sid', 'store.name as storeName'])
    .where('device.companyId', '=', anyOf(companyIds))
    .orderBy('device.id');
}

/** Which devices or stores of companies to read: those concerned since `cutoff` (epoch ms), and those with an alert. */
export interface Candidates {
  readonly companyIds: readonly number[];
  readonly cutoff: number;
  /** The ids of those that have an alert. */
  readonly known: readonly number[];
}

/**
 * What the last heartbeat of a device reports: `beam 1` or `beam 2` is blocked, by its position at the door, since the server
 * has no other name; `flickering`; `storage`; `version`, if it is old; or `update`, if its target was not installed. With the arrival of the first heartbeat that reported it (epoch
 * ms), by the server's clock.
 */
export type Troubles = Readonly<Record<string, number>>;

/**
 * The devices of companies that may need an alert: silent since `cutoff`; with a trouble now or at the last evaluation, where
 * `old` are the old versions; or among `known`, which already have one. Retired devices are left out. A
 * device that has sent nothing is silent since its registration; its heartbeat is as the unit sent it, unchecked.
 */
export async function devicesInTrouble(
  db: Db,
  { companyIds, cutoff, known }: Candidates,
  old: readonly string[],
) {
  return await devicesAtStores(db, companyIds)
    .select((eb) => [
      eb.fn.coalesce('lastActivityAt', 'registeredAt').as('lastActivityAt'),
      'heartbeatAt',
      'heartbeat',
      'targetVersion',
      eb.ref('troubles').$castTo<Troubles>().as('troubles'),
    ])
    .where('retiredAt', 'is', null)
    .where((eb) =>
      eb.or([
        eb(eb.fn.coalesce('lastActivityAt', 'registeredAt'), '<=', instant(cutoff)),
        sql<boolean>`heartbeat->'beams' @> '[{"state":"blocked"}]' or heartbeat ? 'storage'
          or heartbeat->'lines' ?| '{problem,flickering}' or heartbeat->'update'->>'version' = target_version`,
        eb('troubles', '<>', '{}'),
        ...(old.length > 0 ? [eb(version, '=', sql<string>`any(${old})`)] : []),
        eb('device.id', '=', anyOf(known)),
      ]),
    )
    .execute();
}

export type DeviceInTrouble = Awaited<ReturnType<typeof devicesInTrouble>>[number];

/** Stores the troubles that the last heartbeats of devices report. */
export async function recordTroubles(
  db: Db,
  devices: readonly { readonly deviceId: number; readonly troubles: Troubles }[],
): Promise<void> {
  if (devices.length === 0) return;
  const reported = devices.map(({ deviceId, troubles }) => ({ deviceId, troubles }));
  await sql`
    update device set troubles = reported.troubles
    from json_to_recordset(${JSON.stringify(reported)}) as reported ("deviceId" integer, troubles jsonb)
    where device.id = "deviceId"`.execute(db);
}

/**
 * The devices of companies that exceed their limits: they have rejected messages because of a limit, or have sent more than
 * their rate allows within the last quarter of an hour; `since`: when that began (epoch ms).
 */
export async function devicesOverLimits(db: Db, companyIds: readonly number[]) {
  return await devicesAtStores(db, companyIds)
    .innerJoinLateral(
      sql<{ since: number }>`(select least(
        (select min(received_at) from rejected_message where device_id = device.id and reason like 'limit:%'),
        case when ${sql.raw(isRateExceeded)} then rate_exceeded_since end
      ) as since)`.as<'exceeded'>(sql`exceeded`),
      (join) => join.onTrue(),
    )
    .select('exceeded.since')
    .where('exceeded.since', 'is not', null)
    .execute();
}

export const gapKinds = ['crossings-missing', 'crossings-lost', 'cloned-unit', 'direction-doubtful'] as const;

/** `count`: missing or lost crossings; of a cloned unit its rejected messages. `since`: when that was found (epoch ms). */
interface Gap {
  readonly kind: (typeof gapKinds)[number];
  readonly deviceId: number;
  readonly count: number;
  readonly since: number;
}

/**
 * Devices of companies for which one of these is true: crossings are missing; crossings were found to be lost
 * within the last day; two units write their journal (for a day after the last conflict, and while there are
 * rejected messages with conflicting crossings); they may count in the wrong direction.
 */
export async function devicesWithGaps(db: Db, companyIds: readonly number[]) {
  return await devicesAtStores(db, companyIds)
    .innerJoin(
      sql<Gap>`(
        select 'crossings-missing' as kind, device_id, sum(count_sequences(missing))::bigint as count,
          min(missing_since) as since
        from journal where missing_since is not null group by device_id
        union all
        select 'crossings-lost', device_id, sum(lost_lately)::bigint, min(lost_at)
        from journal where lost_at > now() - interval '1 day' group by device_id
        union all
        select 'cloned-unit', device_id, max(number), min(conflict_since)
        from journal cross join lateral (
          select count(*) as number from rejected_message
          where rejected_message.device_id = journal.device_id and starts_with(reason, 'conflict')
        ) conflicts
        where conflict_at is not null and (number > 0 or conflict_at > now() - interval '1 day') group by device_id
        union all
        select 'direction-doubtful', id, 0, direction_doubtful_since
        from device where direction_doubtful_since is not null
      )`.as<'gap'>(sql`gap`),
      'gap.deviceId',
      'device.id',
    )
    .select(['gap.kind', 'gap.count', 'gap.since'])
    .where('retiredAt', 'is', null)
    .orderBy('gap.kind')
    .execute();
}

/** What counts as a nearly full disk: less than so many bytes free, or less than so many percent of it. */
interface DiskLimit {
  readonly bytes: number;
  readonly percent: number;
}

const free = sql<number>`heartbeat_integer(heartbeat, 'diskFree')`;
const size = sql<number | null>`heartbeat_integer(heartbeat, 'diskSize')`;

/** The devices whose last heartbeats report less free space than a limit (bytes). Retired devices are left out. */
export async function devicesWithLowDisk(
  db: Db,
  companyIds: readonly number[],
  { bytes, percent }: DiskLimit,
) {
  return await devicesAtStores(db, companyIds)
    .select([free.as('diskFree'), size.as('diskSize')])
    .where('retiredAt', 'is', null)
    .where('heartbeatAt', 'is not', null)
    .where(sql<boolean>`${free} < greatest(${bytes}, coalesce(${size}, 0) / 100.0 * ${percent})`)
    .execute();
}

const version = sql<string>`heartbeat->>'version'`;

/** The versions that the units of companies report, without those of retired devices. */
export async function reportedVersions(db: Db, companyIds: readonly number[]) {
  return await db
    .selectFrom('device')
    .innerJoin('deviceState', 'deviceState.deviceId', 'device.id')
    .select(['companyId', version.as('version')])
    .distinct()
    .where('companyId', '=', anyOf(companyIds))
    .where('retiredAt', 'is', null)
    .where('heartbeatAt', 'is not', null)
    .where(version, 'is not', null)
    .execute();
}
