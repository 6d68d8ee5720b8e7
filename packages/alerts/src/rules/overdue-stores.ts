import { utcText } from '@visitor-counter/domain/instant';
import { type Condition, identityOf } from './condition.ts';
import { afterByCompany, type Facts } from './facts.ts';

/**
 * Stores that have lacked crossings for the time of the rule: some of their units have not delivered all crossings. The
 * time of an outage of all gateways does not count. A unit that has never reported does not make its store overdue. An
 * alert remains open while it is unknown whether the crossings have arrived.
 */
export function overdueStores(facts: Facts): Condition[] {
  const { life, now } = facts;
  const after = afterByCompany(facts, 'data-overdue');
  const open = new Set(facts.open.map(identityOf));
  return facts.incomplete.flatMap(({ storeId, companyId, sid, name, completeUntil }) => {
    const patience = after.get(companyId);
    if (patience === undefined) return [];
    const alert = { companyId, kind: 'data-overdue', subject: `${storeId}` } as const;
    const isOpen = open.has(identityOf(alert));
    if (completeUntil === null)
      return isOpen ? [{ ...alert, storeId, about: { sid, store: name }, beganAt: now }] : [];
    const beganAt = (isOpen ? completeUntil : Math.max(completeUntil, life.since)) + patience;
    if (beganAt > now || !(isOpen || life.alive)) return [];
    const about = { sid, store: name, completeUntil: utcText(completeUntil) };
    return { ...alert, storeId, about, beganAt };
  });
}
