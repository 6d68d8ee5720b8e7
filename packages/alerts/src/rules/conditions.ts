import { utcText } from '@visitor-counter/domain/instant';
import { blockedBeams } from './blocked-beams.ts';
import { type Condition, identityOf } from './condition.ts';
import { afterByCompany, type Facts } from './facts.ts';
import { failingStorage } from './failing-storage.ts';
import { inactiveDevices } from './inactive-devices.ts';
import { lowDisks } from './low-disks.ts';
import { oldVersions } from './old-versions.ts';
import { overdueStores } from './overdue-stores.ts';
import { exceededLimits, gapAlerts } from './uncounted-crossings.ts';

/** All conditions that are true now and that a company has a rule for. */
export function conditionsIn(facts: Facts): Condition[] {
  return [
    inactiveDevices,
    blockedBeams,
    fullStores,
    overdueStores,
    exceededLimits,
    gapAlerts,
    lowDisks,
    oldVersions,
    failingStorage,
    serviceUnavailable,
  ].flatMap((rule) => rule(facts));
}

/** No gateway can store messages: one alert per company instead of one per device. */
export function serviceUnavailable(facts: Facts): Condition[] {
  const { life, now } = facts;
  if (life.alive || !Number.isFinite(life.seenAt)) return [];
  const open = new Set(facts.open.map(identityOf));
  return [...afterByCompany(facts, 'service-away')].flatMap(([companyId, patience]) => {
    const alert = { companyId, kind: 'service-away', subject: 'service' } as const;
    const beganAt = life.seenAt + patience;
    if (beganAt > now && !open.has(identityOf(alert))) return [];
    return { ...alert, about: { awaySince: utcText(life.seenAt) }, beganAt };
  });
}

/**
 * Stores whose occupancy has reached their capacity. An alert remains open until more than a twentieth of the capacity
 * is free, so that people at the door of a full store do not raise an alert each.
 */
export function fullStores(facts: Facts): Condition[] {
  const rules = afterByCompany(facts, 'capacity-reached');
  const open = new Set(facts.open.map(identityOf));
  return facts.stores.flatMap(({ storeId, companyId, sid, name, capacity, occupancy, changedAt }) => {
    if (!rules.has(companyId)) return [];
    const alert = { companyId, kind: 'capacity-reached', subject: `${storeId}` } as const;
    const limit = open.has(identityOf(alert)) ? closingLimit(capacity) : capacity;
    if (occupancy < limit) return [];
    const about = { sid, store: name, capacity, occupancy };
    return { ...alert, storeId, about, beganAt: changedAt ?? facts.now };
  });
}

/** The occupancy from which on an alert remains open. */
function closingLimit(capacity: number): number {
  return Math.max(1, capacity - Math.max(1, Math.round(capacity / 20)));
}
