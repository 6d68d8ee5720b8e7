import type { OpenAlert } from '@visitor-counter/database/alerts/open-alerts';
import type { NewAlert } from '@visitor-counter/database/alerts/write-alerts';

/** Something that is so now and that a company wants to be told: an alert, unless it is open already. */
export type Condition = NewAlert;

/** What tells an alert from every other that is open. */
type Identity = Pick<OpenAlert, 'companyId' | 'kind' | 'subject'>;

export function identityOf({ companyId, kind, subject }: Identity): string {
  return `${companyId} ${kind} ${subject}`;
}

export interface Verdict {
  readonly raise: readonly Condition[];
  /** The ids of alerts that are over. */
  readonly clear: readonly string[];
}

/** What is so and not told yet is raised; what is open and not so any more is cleared. */
export function judge(open: readonly OpenAlert[], conditions: readonly Condition[]): Verdict {
  const told = new Set(open.map(identityOf));
  const holding = new Set(conditions.map(identityOf));
  return {
    raise: conditions.filter((condition) => !told.has(identityOf(condition))),
    clear: open.filter((alert) => !holding.has(identityOf(alert))).map(({ id }) => id),
  };
}
