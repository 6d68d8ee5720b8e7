import { readAlertRules } from '@visitor-counter/database/alerts/alert-rules';
import { recordBlockedBeams } from '@visitor-counter/database/alerts/blocked-beams';
import { devicesInTrouble } from '@visitor-counter/database/alerts/devices-in-trouble';
import { devicesOverLimits } from '@visitor-counter/database/alerts/devices-over-limits';
import { devicesWithGaps, gapKinds } from '@visitor-counter/database/alerts/devices-with-gaps';
import { devicesWithLowDisk } from '@visitor-counter/database/alerts/devices-with-low-disk';
import {
  type DeviceWithOldVersion,
  devicesWithOldVersion,
  recordAgentVersions,
} from '@visitor-counter/database/alerts/devices-with-old-version';
import { recordFailingStorage } from '@visitor-counter/database/alerts/failing-storage';
import { readIngestLife } from '@visitor-counter/database/alerts/ingest-life';
import {
  clearAlerts,
  raiseAlerts,
  readOpenAlerts,
  readRecentAlerts,
  tryEvaluationLock,
} from '@visitor-counter/database/alerts/open-alerts';
import { storesInDoubt } from '@visitor-counter/database/alerts/stores-in-doubt';
import { storesWithCapacity } from '@visitor-counter/database/alerts/stores-with-capacity';
import { completenessOfDevice, completenessOfStore } from '@visitor-counter/database/devices/completeness';
import { type DeviceFacts, deviceFacts } from '@visitor-counter/database/devices/device-facts';
import { noGaps } from '@visitor-counter/database/devices/device-gaps';
import { occupancies } from '@visitor-counter/database/occupancy/occupancies';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { Reader } from '@visitor-counter/database/sql/snapshot';
import type { RuleKind } from '@visitor-counter/database/tables/alert-kind';
import { businessDayOf } from '@visitor-counter/domain/business-day';
import { beamsBlockedIn } from './blocked-beams.ts';
import { judge } from './condition.ts';
import { conditionsIn } from './conditions.ts';
import { afterByCompany, type Facts, type IncompleteStore, type StoreNow } from './facts.ts';
import { storageFailingIn } from './failing-storage.ts';
import { limitFlapping } from './flapping.ts';
import { diskLimits } from './low-disks.ts';
import { oldVersionsOf } from './old-versions.ts';

export interface Evaluated {
  readonly raised: number;
  readonly cleared: number;
  readonly open: number;
}

/**
 * Raises and clears alerts by the current facts, in one transaction. Returns undefined while another process evaluates.
 * All state is in the database, so any process can continue after another one has died.
 */
export async function evaluate({ kysely }: Database): Promise<Evaluated | undefined> {
  return kysely.transaction().execute(async (trx) => {
    if (!(await tryEvaluationLock(trx))) return undefined;
    const facts = await readFacts(trx);
    const { raise, clear } = judge(facts.open, limitFlapping(conditionsIn(facts), facts));
    const raised = await raiseAlerts(trx, raise);
    const cleared = await clearAlerts(trx, clear);
    return { raised, cleared, open: facts.open.length + raised - cleared };
  });
}

async function readFacts(db: Reader): Promise<Facts> {
  const { rules, now } = await readAlertRules(db);
  const open = await readOpenAlerts(db);
  const life = await readIngestLife(db);
  const known = open.flatMap(({ deviceId }) => deviceId ?? []);
  const recent = await readRecentAlerts(db);
  const about = {
    now,
    rules,
    open,
    recent,
    life,
    devices: [],
    stores: [],
    incomplete: [],
    overLimits: [],
    gaps: [],
    lowDisks: [],
    oldVersions: [],
    blocked: [],
    storage: [],
  };
  const inactive = afterByCompany(about, 'device-inactive');
  const companiesWith = (kind: RuleKind) => [...afterByCompany(about, kind).keys()];
  const ofUnits = ['beam-blocked', 'storage-failing'] as const;
  const companyIds = [...new Set([...inactive.keys(), ...ofUnits.flatMap(companiesWith)])];
  const cutoff = now - Math.min(...inactive.values(), now);
  const devices = companyIds.length === 0 ? [] : await devicesInTrouble(db, { companyIds, cutoff, known });
  const blocked = await recordBlockedBeams(db, beamsBlockedIn(devices));
  const full = [...afterByCompany(about, 'capacity-reached').keys()];
  const stores = full.length === 0 ? [] : await storesNow(db, full, now);
  const limited = [...afterByCompany(about, 'limits-exceeded').keys()];
  const overLimits = limited.length === 0 ? [] : await devicesOverLimits(db, limited);
  const doubtful = [...new Set(gapKinds.flatMap((kind) => [...afterByCompany(about, kind).keys()]))];
  const gaps = doubtful.length === 0 ? [] : await devicesWithGaps(db, doubtful);
  return {
    ...about,
    devices,
    blocked,
    storage: await recordFailingStorage(db, storageFailingIn(devices)),
    stores,
    overLimits,
    gaps,
    lowDisks: await devicesWithLowDisk(db, diskLimits(about)),
    oldVersions: await oldVersionsNow(db, about),
    incomplete: await incompleteStores(db, about),
  };
}

/** Records the versions in use, and reads the devices whose versions are old by the rules. */
async function oldVersionsNow(db: Reader, facts: Facts): Promise<DeviceWithOldVersion[]> {
  const companyIds = [...afterByCompany(facts, 'version-old').keys()];
  const versions = await recordAgentVersions(db, companyIds);
  return devicesWithOldVersion(db, oldVersionsOf(facts, versions));
}

async function incompleteStores(db: Reader, facts: Facts): Promise<IncompleteStore[]> {
  const { now, open } = facts;
  const after = afterByCompany(facts, 'data-overdue');
  if (after.size === 0) return [];
  const known = open.filter(({ kind }) => kind === 'data-overdue').map(({ subject }) => Number(subject));
  const cutoff = now - Math.min(...after.values());
  const stores = await storesInDoubt(db, { companyIds: [...after.keys()], cutoff, known });
  const ids = stores.map(({ storeId }) => storeId);
  const devices = Map.groupBy(await deviceFacts(db, ids, now), ({ store_id }) => store_id);
  return stores.map((store) => {
    /* Missing, lost and conflicting crossings have alerts of their own. */
    const parts = (devices.get(store.storeId) ?? []).map((device) =>
      completenessOfDevice({ ...byServerClock(device), gaps: noGaps }, now),
    );
    return { ...store, completeUntil: completenessOfStore(parts).completeUntil };
  });
}

/** The clock of a unit can be wrong, so a heartbeat counts from its arrival. */
function byServerClock(device: DeviceFacts): DeviceFacts {
  const { heartbeat, heartbeat_at: at } = device;
  return typeof heartbeat === 'object' && heartbeat !== null
    ? { ...device, heartbeat: { ...heartbeat, at } }
    : device;
}

async function storesNow(db: Reader, companyIds: readonly number[], now: number): Promise<StoreNow[]> {
  const stores = await storesWithCapacity(db, companyIds);
  const days = stores.map(({ storeId, calendar }) => ({
    storeId,
    start: businessDayOf(now, calendar).start,
  }));
  const found = await occupancies(db, days, now);
  return stores.map((store, index) => ({
    ...store,
    occupancy: found[index]?.occupancy ?? 0,
    changedAt: found[index]?.latest,
  }));
}
