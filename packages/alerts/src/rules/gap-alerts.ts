import { type Condition, identityOf } from './condition.ts';
import { afterByCompany, type Facts } from './facts.ts';

/**
 * Devices whose numbers lack crossings: missing in the database, lost for good, or in conflict because two units write
 * one journal. One alert per device and kind, without text from the unit.
 */
export function gapAlerts(facts: Facts): Condition[] {
  const { gaps, now } = facts;
  const open = new Set(facts.open.map(identityOf));
  return gaps.flatMap(
    ({ kind, deviceId, companyId, serial, name, storeId, sid, storeName, since, count }) => {
      const patience = afterByCompany(facts, kind).get(companyId);
      if (patience === undefined) return [];
      const alert = { companyId, kind, subject: `${deviceId}` } as const;
      const beganAt = since + patience;
      if (beganAt > now && !open.has(identityOf(alert))) return [];
      const about = {
        serial,
        device: name,
        sid,
        store: storeName,
        count,
        since: new Date(since).toISOString(),
      };
      return { ...alert, deviceId, storeId, about, beganAt };
    },
  );
}
