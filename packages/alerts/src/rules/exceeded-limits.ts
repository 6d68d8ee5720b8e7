import { type Condition, identityOf } from './condition.ts';
import { afterByCompany, type Facts } from './facts.ts';

/**
 * Devices that send more crossings than their limits, or too old ones, while any of these are kept as rejected. One alert
 * per device, without text from the unit.
 */
export function exceededLimits(facts: Facts): Condition[] {
  const { overLimits, now } = facts;
  const after = afterByCompany(facts, 'limits-exceeded');
  const open = new Set(facts.open.map(identityOf));
  return overLimits.flatMap(({ deviceId, companyId, serial, name, storeId, sid, storeName, since }) => {
    const patience = after.get(companyId);
    if (patience === undefined) return [];
    const alert = { companyId, kind: 'limits-exceeded', subject: `${deviceId}` } as const;
    const beganAt = since + patience;
    if (beganAt > now && !open.has(identityOf(alert))) return [];
    const about = { serial, device: name, sid, store: storeName, since: new Date(since).toISOString() };
    return { ...alert, deviceId, storeId, about, beganAt };
  });
}
