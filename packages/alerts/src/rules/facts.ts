import type { RuleKind } from '@visitor-counter/database/alerts/alert-kinds';
import {
  type DeviceInTrouble,
  devicesInTrouble,
  devicesOverLimits,
  devicesWithGaps,
  devicesWithLowDisk,
  gapKinds,
  reportedVersions,
  type Troubles,
} from '@visitor-counter/database/alerts/devices-in-trouble';
import {
  readAlertRules,
  readIngestLife,
  readOpenAlerts,
  readRecentAlerts,
} from '@visitor-counter/database/alerts/open-alerts';
import {
  type FindingKind,
  type StoreFinding,
  storesInDoubt,
  storesWithCapacity,
  withNames,
} from '@visitor-counter/database/alerts/store-findings';
import { completenessOfDevice } from '@visitor-counter/database/devices/completeness';
import { type DeviceFacts, deviceFacts } from '@visitor-counter/database/devices/device-facts';
import { occupancies } from '@visitor-counter/database/occupancy/projected-days';
import type { Db } from '@visitor-counter/database/sql/query-builder';
import { defaultDiskLimit, parseDiskLimit } from '@visitor-counter/domain/disk-room';
import { compareVersions, isVersion } from '@visitor-counter/domain/version';
import { readStoredHeartbeat } from '@visitor-counter/wire/stored-heartbeat';

/** All facts that rules depend on, at one moment. */
export type Facts = Awaited<ReturnType<typeof readFacts>>;

type Rules = Awaited<ReturnType<typeof readAlertRules>>;

/** What was found at the last search of each kind; a kind is missing until its first search has ended. */
export type Findings = Map<FindingKind, readonly StoreFinding[]>;

/** Reads the facts that the rules of companies need, by the database's clock (epoch ms). */
export async function readFacts(db: Db, found: Readonly<Findings>) {
  const given = await readAlertRules(db);
  const { rules, now } = given;
  const open = await readOpenAlerts(db);
  const reported = open.flatMap(({ deviceId }) => deviceId ?? []);
  const doubtful = open.filter(({ kind }) => kind === 'data-overdue').map(({ subject }) => Number(subject));
  return {
    now,
    rules,
    open,
    life: await readIngestLife(db),
    /** The alerts that were raised in the last hour. */
    recent: await readRecentAlerts(db),
    ...(await readDevices(db, given, reported)),
    stores: await readFullness(db, companiesWith(given, 'capacity-reached'), now),
    /** Devices whose messages exceed their limits, and those with one of `gapKinds`. */
    overLimits: await devicesOverLimits(db, companiesWith(given, 'limits-exceeded')),
    gaps: await devicesWithGaps(db, companiesWith(given, ...gapKinds)),
    /** Devices that have less free space than some company wants. */
    lowDisks: await devicesWithLowDisk(db, companiesWith(given, 'disk-low'), highestLimit(given)),
    /** Unusual counts of stores, and the kinds that have been searched for. */
    findings: await withNames(db, [...found.values()].flat()),
    searched: new Set<RuleKind>(found.keys()),
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

/**
 * Devices that may be in trouble, and those of open alerts, with their present troubles; `changed`: those of which other
 * troubles are stored. `versions`: what the units of each company should have at least.
 */
async function readDevices(db: Db, rules: Rules, known: readonly number[]) {
  const { versions, old } = await readVersions(db, rules);
  const companyIds = companiesWith(
    rules,
    'device-inactive',
    'beam-blocked',
    'beam-flickering',
    'update-failed',
    'storage-failing',
    'version-old',
  );
  const cutoff = cutoffOf(rules, 'device-inactive');
  const before = await devicesInTrouble(db, { companyIds, cutoff, known }, old);
  const devices = before.map((device) => ({ ...device, troubles: troublesOf(device, rules.now, versions) }));
  const changed = devices.filter(({ troubles }, index) => !hasSameKeys(troubles, before[index]?.troubles));
  return { devices, changed, versions };
}

/** By company the version of its rule, or else the newest of its units; and which versions of units are older. */
async function readVersions(db: Db, given: Rules) {
  const reported = await reportedVersions(db, companiesWith(given, 'version-old'));
  const versions = new Map<number, string>();
  const old: string[] = [];
  for (const { kind, companyId, threshold } of given.rules) {
    if (kind !== 'version-old') continue;
    const present = reported.filter((one) => one.companyId === companyId).map(({ version }) => version);
    const known = present.filter(isVersion).toSorted(compareVersions);
    const wanted = threshold !== null && isVersion(threshold) ? threshold : known.at(-1);
    if (wanted === undefined) continue;
    versions.set(companyId, wanted);
    old.push(...known.filter((version) => compareVersions(version, wanted) < 0));
  }
  return { versions, old };
}

function hasSameKeys(one: object, other: object = {}): boolean {
  return Object.keys(one).toSorted().join() === Object.keys(other).toSorted().join();
}

/**
 * The troubles in the last heartbeat of a device: beams that are blocked, of at most two, or that the unit cannot read, one
 * that flickers, crossings that cannot be stored, a version older than that of `versions` for its company, and a target that
 * was not installed.
 */
function troublesOf(
  device: DeviceInTrouble,
  now: number,
  versions: ReadonlyMap<number, string> = new Map(),
): Troubles {
  const { troubles, heartbeatAt } = device;
  const {
    beams: [first, second] = [],
    areBeamsUnreadable = false,
    isFlickering = false,
    storage,
    update,
    version = '',
  } = heartbeatOf(device) ?? {};
  const wanted = versions.get(device.companyId);
  const reported = {
    'beam 1': first?.state === 'blocked' || areBeamsUnreadable,
    'beam 2': second?.state === 'blocked',
    flickering: isFlickering,
    storage: storage !== undefined,
    update: update?.version === device.targetVersion && update?.result !== 'installed',
    version: wanted !== undefined && isVersion(version) && compareVersions(version, wanted) < 0,
  };
  const since = Math.min(heartbeatAt ?? now, now);
  const present = Object.entries(reported).filter(([, isReported]) => isReported);
  /* A version becomes old by the heartbeats of other units. */
  const begins = (trouble: string) => troubles[trouble] ?? (trouble === 'version' ? now : since);
  return Object.fromEntries(present.map(([trouble]) => [trouble, begins(trouble)]));
}

/** The decoded last heartbeat of a device, if there is one. */
export function heartbeatOf({ heartbeat, heartbeatAt }: DeviceInTrouble) {
  return heartbeatAt === null ? undefined : readStoredHeartbeat(heartbeat);
}

/** The stores with a capacity, their occupancy, and when it last changed today (epoch ms). */
async function readFullness(db: Db, companyIds: readonly number[], now: number) {
  const stores = await storesWithCapacity(db, companyIds);
  const found = await occupancies(db, stores, now);
  return found.map(({ store, occupancy, latest }) => ({ ...store, occupancy, changedAt: latest }));
}

/** Below how many free bytes, or percent of its size, a disk is nearly full by the threshold of a rule. */
export function diskLimitOf(threshold: string | null) {
  const { bytes = 0, percent = 0 } = parseDiskLimit(threshold ?? '') ?? defaultDiskLimit;
  return { bytes, percent };
}

/** An alert remains open until a tenth more than the limit is free. */
export const diskMargin = 1.1;

function highestLimit({ rules }: Rules) {
  const limits = rules.filter(({ kind }) => kind === 'disk-low').map((rule) => diskLimitOf(rule.threshold));
  return {
    bytes: Math.max(0, ...limits.map(({ bytes }) => bytes)) * diskMargin,
    percent: Math.max(0, ...limits.map(({ percent }) => percent)) * diskMargin,
  };
}

/**
 * Until when (epoch ms) all crossings of stores have arrived, by the units of which that is known; `isKnown` if it is known
 * of all units that have ever reported. `known`: the stores with an open alert.
 */
async function readIncomplete(db: Db, rules: Rules, known: readonly number[]) {
  const { now } = rules;
  const companyIds = companiesWith(rules, 'data-overdue');
  const cutoff = cutoffOf(rules, 'data-overdue');
  const stores = await storesInDoubt(db, { companyIds, cutoff, known });
  const ids = stores.map(({ storeId }) => storeId);
  const devices = Map.groupBy(await deviceFacts(db, ids, now), ({ storeId }) => storeId);
  return stores.map((store) => {
    const units = devices.get(store.storeId)?.filter((device) => device.heartbeatAt !== null) ?? [];
    /* Missing, lost and conflicting crossings have alerts of their own. */
    const untils = units.map((unit) => completenessOfDevice(byServerClock(unit), now).deliveredUntil);
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
