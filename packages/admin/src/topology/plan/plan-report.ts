import { type MailReport, writeReport } from '@visitor-counter/database/reports/mail-reports';
import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import { type Entry, missingValue, wrongValue } from '../../file/entry.ts';
import type { Company, Report } from '../../file/topology.ts';
import { sorted } from './entry-fields.ts';
import { checkStores, type Plan, planEntry, storedOf } from './plan.ts';

/** Reports are found by name. A group replaces stores, and the other way round. */
export function planReport(plan: Plan, company: Company, { path, value, unusable }: Entry<Report>): void {
  const name = cleanName(value.name);
  const stored = storedOf(plan, company)?.reports.find((one) => one.name === name);
  checkStores(plan, company, `${path}.stores`, value.stores);
  if (value.group && value.stores)
    plan.problems.push(wrongValue(`${path}.group`, value.group, 'not together with stores'));
  const period = value.period ?? stored?.period;
  const recipients = value.recipients ?? stored?.recipients;
  if (period === undefined && !unusable.has('period'))
    plan.problems.push(missingValue(`${path}.period`, 'daily, weekly or monthly, since this report is new'));
  if (recipients === undefined && !unusable.has('recipients'))
    plan.problems.push(missingValue(`${path}.recipients`, 'mail addresses, since this report is new'));
  const group = groupOf(plan, company, path, value);
  if (period === undefined || recipients === undefined) return;
  const isNewScope = value.group !== undefined || value.stores !== undefined;
  const report: MailReport = {
    name,
    period,
    recipients: [...new Set(recipients)],
    language: value.language ?? stored?.language ?? 'en',
    group: isNewScope ? group : (stored?.group ?? null),
    stores: isNewScope ? sorted(value.stores ?? null) : (stored?.stores ?? null),
    enabled: value.enabled ?? stored?.enabled ?? true,
  };
  const about = { kind: 'report', key: name, company: company.name } as const;
  planEntry(plan, about, { stored: stored && { ...stored }, wanted: { ...report } }, (trx) =>
    writeReport(trx, company.key, report),
  );
}

/** The name of the group as it is stored; null without one. */
function groupOf(plan: Plan, company: Company, path: string, { group }: Report): string | null {
  if (!group) return null;
  const key = nameKey(group);
  const inFile = company.shopGroups.find(({ value }) => nameKey(value.name) === key)?.value.name;
  const found = inFile ?? storedOf(plan, company)?.shopGroups.get(key)?.name;
  if (found === undefined)
    plan.problems.push(wrongValue(`${path}.group`, group, `the name of a shop group of ${company.name}`));
  return found === undefined ? null : cleanName(found);
}
