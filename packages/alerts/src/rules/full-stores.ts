import { type Condition, identityOf } from './condition.ts';
import { afterByCompany, type Facts } from './facts.ts';

/**
 * Stores with as many people as they have room for. One that was full stays so until more than a twentieth of its
 * capacity, and more than one place where there are as many, is free again: people at the door of a full store are
 * not an alert each.
 */
export function fullStores(facts: Facts): Condition[] {
  const rules = afterByCompany(facts, 'capacity-reached');
  const open = new Set(facts.open.map(identityOf));
  return facts.stores.flatMap(({ storeId, companyId, sid, name, capacity, occupancy, changedAt }) => {
    if (!rules.has(companyId)) return [];
    const alert = { companyId, kind: 'capacity-reached', subject: `${storeId}` } as const;
    const limit = open.has(identityOf(alert)) ? spareFrom(capacity) : capacity;
    if (occupancy < limit) return [];
    const about = { sid, store: name, capacity, occupancy };
    return { ...alert, storeId, about, beganAt: changedAt ?? facts.now };
  });
}

/** With so many people a store that was full still is. */
function spareFrom(capacity: number): number {
  return Math.max(1, capacity - Math.max(1, Math.round(capacity / 20)));
}
