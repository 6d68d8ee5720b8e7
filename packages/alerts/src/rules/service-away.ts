import { utcText } from '@visitor-counter/domain/instant';
import { type Condition, identityOf } from './condition.ts';
import { afterByCompany, type Facts } from './facts.ts';

/** That no gateway has been able to store what units say: one alert for a company instead of one for each device. */
export function serviceAway(facts: Facts): Condition[] {
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
