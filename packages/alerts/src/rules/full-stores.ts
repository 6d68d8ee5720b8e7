import { type Condition, identityOf } from './condition.ts';
import { afterByCompany, type Facts } from './facts.ts';

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
