import { recordTroubles } from '@visitor-counter/database/alerts/devices-in-trouble';
import { clearAlerts, type OpenAlert, raiseAlerts } from '@visitor-counter/database/alerts/open-alerts';
import type { Db } from '@visitor-counter/database/sql/query-builder';
import { type Condition, conditionsIn, type Identity, identityOf } from './conditions.ts';
import { type Facts, type Findings, readFacts } from './facts.ts';

export interface Evaluated {
  readonly raised: number;
  readonly cleared: number;
  readonly open: number;
}

/**
 * Raises and clears alerts by the current facts, in one transaction. All state is in the database or `found` again, so any
 * process can continue after another one has died.
 */
export async function evaluate(db: Db, found: Findings = new Map()): Promise<Evaluated> {
  return db.transaction().execute(async (trx) => {
    const facts = await readFacts(trx, found);
    await recordTroubles(trx, facts.changed);
    const { raise, clear } = judge(facts.open, limitFlapping(conditionsIn(facts), facts));
    const raised = await raiseAlerts(trx, raise);
    const cleared = await clearAlerts(trx, clear);
    return { raised, cleared, open: facts.open.length + raised - cleared };
  });
}

/** Raises conditions without an open alert, and clears open alerts, by id, without a condition. */
export function judge(open: readonly OpenAlert[], conditions: readonly Condition[]) {
  const known = new Set(open.map(identityOf));
  const current = new Set(conditions.map(identityOf));
  return {
    raise: conditions.filter((condition) => !known.has(identityOf(condition))),
    clear: open.filter((alert) => !current.has(identityOf(alert))).map(({ id }) => id),
  };
}

/** The same alert is raised at most so many times an hour. */
const mostPerHour = 4;

/**
 * Limits how often the same condition is reported: it is raised `mostPerHour` times an hour; then one alert reports that
 * it is flapping, until it has not been raised for an hour.
 */
function limitFlapping(
  conditions: readonly Condition[],
  { open, recent, now }: Pick<Facts, 'open' | 'recent' | 'now'>,
): Condition[] {
  const known = new Set(open.map(identityOf));
  const isOpen = (alert: Identity) => known.has(identityOf(alert));
  const counts = new Map(recent.map((one) => [identityOf(one), one.count]));
  const isSuppressed = (condition: Condition) => {
    const raised = counts.get(identityOf(condition)) ?? 0;
    const isFlapping = raised >= mostPerHour || (raised > 0 && isOpen(flappingOf(condition)));
    return isFlapping && !isOpen(condition);
  };
  const { reported = [], suppressed = [] } = Object.groupBy(conditions, (condition) =>
    isSuppressed(condition) ? 'suppressed' : 'reported',
  );
  const begun = suppressed.map(({ about: { sid, store, serial, device }, ...condition }) => {
    const whose = Object.entries({ sid, store, serial, device }).filter(([, value]) => value !== undefined);
    const about = { ...Object.fromEntries(whose), flapping: condition.kind };
    return { ...condition, ...flappingOf(condition), about, beganAt: now };
  });
  const lasting = recent
    .map(flappingOf)
    .filter(isOpen)
    .map((alert) => ({ ...alert, about: {}, beganAt: now }));
  return [...reported, ...begun, ...lasting];
}

/** The alert that replaces one that is raised again and again. */
function flappingOf({ companyId, kind, subject }: Identity) {
  return { companyId, kind: 'flapping', subject: `${kind} ${subject}` } as const;
}
