import { defaultAfterSeconds } from '@visitor-counter/database/alerts/alert-kind';
import { writeAlertRule } from '@visitor-counter/database/operating/write-alert-settings';
import { wrongValue } from '../problem.ts';
import type { Entry } from '../topology/entry.ts';
import { parseDuration } from '../topology/fields.ts';
import type { AlertRule, Company } from '../topology/topology.ts';
import { type Plan, planEntry, planFields } from './plan.ts';

export function planAlertRule(plan: Plan, company: Company, { path, value }: Entry<AlertRule>): void {
  const { kind } = value;
  const given = value.after === undefined ? undefined : parseDuration(value.after);
  if (kind === 'capacity-reached' && given !== undefined) {
    const expected = 'nothing: a full store is told of at once';
    plan.problems.push(wrongValue(`${path}.after`, value.after, expected));
    return;
  }
  const stored = plan.stored.companies.get(company.key)?.alertRules.find((rule) => rule.kind === kind);
  const afterSeconds = given ?? stored?.afterSeconds ?? defaultAfterSeconds[kind];
  const enabled = value.enabled ?? stored?.enabled ?? true;
  const about = { kind: 'alertRule', key: kind, company: company.name } as const;
  const write = (trx: Parameters<typeof writeAlertRule>[0]) =>
    writeAlertRule(trx, company.key, { kind, afterSeconds, enabled });
  planEntry(plan, [
    stored === undefined
      ? { change: { action: 'created', ...about }, write }
      : planFields(
          about,
          { after: afterSeconds !== stored.afterSeconds, enabled: enabled !== stored.enabled },
          write,
        ),
  ]);
}
