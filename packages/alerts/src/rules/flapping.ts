import type { RecentAlert } from '@visitor-counter/database/alerts/open-alerts';
import { type Condition, identityOf } from './condition.ts';
import type { Facts } from './facts.ts';

/** The same alert is raised at most so many times an hour. */
export const mostPerHour = 4;

/**
 * Limits how often the same condition is reported: it is raised `mostPerHour` times an hour; then one alert reports that
 * it is flapping, until it has not been raised for an hour.
 */
export function limitFlapping(
  conditions: readonly Condition[],
  { open, recent, now }: Pick<Facts, 'open' | 'recent' | 'now'>,
): Condition[] {
  const isOpen = new Set(open.map(identityOf));
  const counts = new Map(recent.map((one) => [identityOf(one), one.count]));
  const isFlapping = ({ companyId, kind, subject }: Pick<RecentAlert, 'companyId' | 'kind' | 'subject'>) => {
    const raised = counts.get(identityOf({ companyId, kind, subject })) ?? 0;
    const known = isOpen.has(identityOf({ companyId, kind: 'flapping', subject: `${kind} ${subject}` }));
    return raised >= mostPerHour || (known && raised > 0);
  };
  const reported = conditions.filter(
    (condition) => isOpen.has(identityOf(condition)) || !isFlapping(condition),
  );
  const suppressed = conditions.filter((condition) => !reported.includes(condition));
  const begun = suppressed.map((condition) => flapping(condition, now));
  const known = open.flatMap(({ companyId, kind, subject }) => {
    const what = recent.find(
      (one) => one.companyId === companyId && kind === 'flapping' && subject === `${one.kind} ${one.subject}`,
    );
    return what && isFlapping(what) ? { companyId, kind, subject, about: {}, beganAt: now } : [];
  });
  return [...reported, ...begun, ...known];
}

function flapping({ kind, subject, about, ...condition }: Condition, now: number): Condition {
  const { sid, store, serial, device } = about;
  const known = { sid, store, serial, device };
  const shown = Object.fromEntries(
    Object.entries(known).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
  return {
    ...condition,
    kind: 'flapping',
    subject: `${kind} ${subject}`,
    about: { ...shown, flapping: kind },
    beganAt: now,
  };
}
