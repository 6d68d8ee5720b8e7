import { type Condition, identityOf } from './condition.ts';
import { afterByCompany, type Facts } from './facts.ts';

/**
 * Devices that send more than their limits, or older crossings, for as long as any of it is kept as rejected. One alert
 * for each device, in the server's words.
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
