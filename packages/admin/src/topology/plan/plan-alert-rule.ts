import { defaultAfterSeconds } from '@visitor-counter/database/tables/alert-kind';
import { writeAlertRule } from '@visitor-counter/database/topology/write-topology';
import { isAgentVersion } from '@visitor-counter/domain/agent-version';
import { parseDiskLimit } from '@visitor-counter/domain/disk-room';
import type { Entry } from '../../file/entry.ts';
import { parseDuration } from '../../file/fields.ts';
import { type Problem, wrongValue } from '../../file/problem.ts';
import type { AlertRule, Company } from '../../file/topology.ts';
import { type Plan, planEntry, planFields } from './plan.ts';

export function planAlertRule(plan: Plan, company: Company, { path, value }: Entry<AlertRule>): void {
  const { kind } = value;
  const given = value.after === undefined ? undefined : parseDuration(value.after);
  const problem = problemOf(path, value, given);
  if (problem) {
    plan.problems.push(problem);
    return;
  }
  const stored = plan.stored.companies.get(company.key)?.alertRules.find((rule) => rule.kind === kind);
  const afterSeconds = given ?? stored?.afterSeconds ?? defaultAfterSeconds[kind];
  const enabled = value.enabled ?? stored?.enabled ?? true;
  const threshold =
    value.threshold === undefined
      ? (stored?.threshold ?? null)
      : value.threshold === 'default'
        ? null
        : value.threshold;
  const about = { kind: 'alertRule', key: kind, company: company.name } as const;
  const write = (trx: Parameters<typeof writeAlertRule>[0]) =>
    writeAlertRule(trx, company.key, { kind, afterSeconds, threshold, enabled });
  planEntry(plan, [
    stored === undefined
      ? { change: { action: 'created', ...about }, write }
      : planFields(
          about,
          {
            after: afterSeconds !== stored.afterSeconds,
            threshold: threshold !== stored.threshold,
            enabled: enabled !== stored.enabled,
          },
          write,
        ),
  ]);
}

function problemOf(path: string, value: AlertRule, after: number | undefined): Problem | undefined {
  const { kind, threshold } = value;
  if ((kind === 'capacity-reached' || kind === 'disk-low') && after !== undefined)
    return wrongValue(`${path}.after`, value.after, 'nothing: this is reported immediately');
  if (threshold === undefined || (threshold === 'default' && expectedThreshold[kind] !== undefined))
    return undefined;
  const isRight =
    (kind === 'disk-low' && parseDiskLimit(threshold) !== undefined) ||
    (kind === 'version-old' && isAgentVersion(threshold));
  const expected = expectedThreshold[kind] ?? 'nothing: only disk-low and version-old have a threshold';
  return isRight ? undefined : wrongValue(`${path}.threshold`, threshold, expected);
}

const expectedThreshold: Partial<Record<AlertRule['kind'], string>> = {
  'disk-low': 'a limit such as 500MB or 10%, or default',
  'version-old': 'a version such as 1.4.0, or default',
};
