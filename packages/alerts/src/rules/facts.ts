import type { RuleKind } from '@visitor-counter/database/alerts/alert-kinds';
import {
  type DeviceInTrouble,
  devicesInTrouble,
  devicesOverLimits,
  devicesWithGaps,
  gapKinds,
  recordTroubles,
  type Trouble,
} from '@visitor-counter/database/alerts/devices-in-trouble';
import {
  type AgentVersion,
  devicesWithLowDisk,
  devicesWithOldVersion,
  type OldVersion,
  recordAgentVersions,
} from '@visitor-counter/database/alerts/disks-and-versions';
import { readIngestLife } from '@visitor-counter/database/alerts/ingest-life';
import {
  readAlertRules,
  readOpenAlerts,
  readRecentAlerts,
} from '@visitor-counter/database/alerts/open-alerts';
import { storeFindings } from '@visitor-counter/database/alerts/store-findings';
import { storesInDoubt, storesWithCapacity } from '@visitor-counter/database/alerts/stores-in-doubt';
import { completenessOfDevice } from '@visitor-counter/database/devices/completeness';
import { type DeviceFacts, deviceFacts } from '@visitor-counter/database/devices/device-facts';
import { noGaps } from '@visitor-counter/database/devices/device-gaps';
import { occupancies } from '@visitor-counter/database/occupancy/occupancies';
import type { DB } from '@visitor-counter/database/sql/schema';
import { businessDayOf } from '@visitor-counter/domain/business-day';
import { defaultDiskLimit, parseDiskLimit } from '@visitor-counter/domain/disk-room';
import { compareVersions, isVersion } from '@visitor-counter/domain/version';
import { readStoredHeartbeat } from '@visitor-counter/wire/stored-heartbeat';
import type { Kysely } from 'kysely';

/** All facts that rules depend on, at one moment. */
export type Facts = Awaited<ReturnType<typeof readFacts>>;

type Rules = Awaited<ReturnType<typeof readAlertRules>>;

/** Reads the facts that the rules of companies need, by the database's clock (epoch ms). */
export async function readFacts(db: Kysely<DB>) {
  const given = await readAlertRules(db);
  const { rules, now } = given;
  const open = await readOpenAlerts(db);
  const life = await readIngestLife(db);
  const devices = await readDevices(
    db,
    given,
    open.flatMap(({ deviceId }) => deviceId ?? []),
  );
  const doubtful = open.filter(({ kind }) => kind === 'data-overdue').map(({ subject }) => Number(subject));
  const versions = await recordAgentVersions(db, companiesWith(given, 'version-old'));
  return {
    now,
    rules,
    open,
    life,
    /** The alerts that were raised in the last hour. */
    recent: await readRecentAlerts(db),
    /** Devices that may be in trouble, and those of open alerts. */
    devices,
    /** Beams that are blocked, and units that cannot store crossings, and since when. */
    troubles: await recordTroubles(db, devices.flatMap(troublesOf)),
    stores: await readFullness(db, companiesWith(given, 'capacity-reached'), now),
    /** Devices whose messages exceed their limits, and those with one of `gapKinds`. */
    overLimits: await devicesOverLimits(db, companiesWith(given, 'limits-exceeded')),
    gaps: await devicesWithGaps(db, companiesWith(given, ...gapKinds)),
    lowDisks: await devicesWithLowDisk(db, diskLimits(given)),
    oldVersions: await devicesWithOldVersion(db, oldVersionsOf(given, versions)),
    /** Unusual counts of stores. */
    findings: await storeFindings(db),
    /** Stores that may lack crossings. */
    incomplete: await readIncomplete(db, given, doubtful),
  };
}

function companiesWith({ rules }: Rules, ...kinds: readonly RuleKind[]): number[] {
  return [...new Set(rules.filter(({ kind }) => kinds.includes(kind)).map(({ companyId }) => companyId))];
}

/** The latest beginning (epoch ms) of a state that has lasted long enough for a rule of a kind. */
function cutoffOf({ rules, now }: Rules, kind: RuleKind): number {
  const after = rules.filter((rule) => rule.kind === kind).map((rule) => rule.after);
  return now - Math.min(...after, now);
}

async function readDevices(
  db: Kysely<DB>,
  rules: Rules,
  known: readonly number[],
): Promise<DeviceInTrouble[]> {
  const companyIds = companiesWith(rules, 'device-inactive', 'beam-blocked', 'storage-failing');
  return devicesInTrouble(db, { companyIds, cutoff: cutoffOf(rules, 'device-inactive'), known });
}

/** The troubles in the last heartbeat of a device: blocked beams, of at most two, and crossings that cannot be stored. */
export function troublesOf(device: DeviceInTrouble): Trouble[] {
  const { deviceId } = device;
  const { beams: [first, second] = [], storage } = heartbeatOf(device) ?? {};
  return [
    ...(first?.state === 'blocked' ? [{ deviceId, trouble: 'beam 1' } as const] : []),
    ...(second?.state === 'blocked' ? [{ deviceId, trouble: 'beam 2' } as const] : []),
    ...(storage === undefined ? [] : [{ deviceId, trouble: 'storage' } as const]),
  ];
}

/** The decoded last heartbeat of a device, if there is one. */
export function heartbeatOf({ heartbeat, heartbeatAt }: DeviceInTrouble) {
  return heartbeatAt === null ? undefined : readStoredHeartbeat(heartbeat);
}

/** The stores with a capacity, their occupancy, and when it last changed today (epoch ms). */
async function readFullness(db: Kysely<DB>, companyIds: readonly number[], now: number) {
  const stores = await storesWithCapacity(db, companyIds);
  const days = stores.map(({ storeId, calendar }) => ({ storeId, ...businessDayOf(now, calendar) }));
  const found = await occupancies(db, days, now);
  return stores.map((store, index) => ({
    ...store,
    occupancy: found[index]?.occupancy ?? 0,
    changedAt: found[index]?.latest,
  }));
}

/** The disk limit of each company with a rule for disks. */
function diskLimits({ rules }: Rules) {
  return rules.flatMap(({ kind, companyId, threshold }) => {
    if (kind !== 'disk-low') return [];
    const { bytes = 0, percent = 0 } = parseDiskLimit(threshold ?? '') ?? defaultDiskLimit;
    return { companyId, bytes, percent };
  });
}

/**
 * The versions that are old for a company: older than the threshold of its rule, or else than the newest version that
 * its units have had for the time of the rule.
 */
function oldVersionsOf({ rules, now }: Rules, versions: readonly AgentVersion[]): OldVersion[] {
  return rules.flatMap(({ kind, companyId, after, threshold }) => {
    if (kind !== 'version-old') return [];
    const present = versions.filter((one) => one.companyId === companyId);
    const established = present.filter(({ since }) => since + after <= now).map(({ version }) => version);
    const given = threshold !== null && isVersion(threshold) ? threshold : undefined;
    const expected = given ?? established.toSorted(compareVersions).at(-1);
    if (expected === undefined) return [];
    const old = present.filter(({ version }) => compareVersions(version, expected) < 0);
    return old.map(({ version }) => ({ companyId, version, expected }));
  });
}

/**
 * Until when (epoch ms) all crossings of stores have arrived, by the units of which that is known; `isKnown` if it is known
 * of all units that have ever reported. `known`: the stores with an open alert.
 */
async function readIncomplete(db: Kysely<DB>, rules: Rules, known: readonly number[]) {
  const { now } = rules;
  const companyIds = companiesWith(rules, 'data-overdue');
  const cutoff = cutoffOf(rules, 'data-overdue');
  const stores = await storesInDoubt(db, { companyIds, cutoff, known });
  const ids = stores.map(({ storeId }) => storeId);
  const devices = Map.groupBy(await deviceFacts(db, ids, now), ({ storeId }) => storeId);
  return stores.map((store) => {
    const units = devices.get(store.storeId)?.filter((device) => device.heartbeatAt !== null) ?? [];
    /* Missing, lost and conflicting crossings have alerts of their own. */
    const untils = units.map(
      (unit) => completenessOfDevice({ ...byServerClock(unit), gaps: noGaps }, now).completeUntil,
    );
    const completeUntil = Math.min(now, ...untils.filter((until) => until !== null));
    return { ...store, completeUntil, isKnown: !untils.includes(null) };
  });
}

/** The clock of a unit can be wrong, so a heartbeat counts from its arrival. */
function byServerClock(device: DeviceFacts): DeviceFacts {
  const { heartbeat, heartbeatAt: at } = device;
  return typeof heartbeat === 'object' && heartbeat !== null
    ? { ...device, heartbeat: { ...heartbeat, at } }
    : device;
}
