import { writeReport } from '@visitor-counter/database/reports/mail-reports';
import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import { wrongValue } from '../../file/entry.ts';
import type { Company, Report } from '../../file/topology.ts';
import { addMissing, checkStores, type Plan, planEntry, sidSet, storedOf } from './plan.ts';

/** Reports are found by name. A group replaces stores, and the other way round. */
export function planReport(plan: Plan, company: Company, { path, ...given }: Report): void {
  const name = cleanName(given.name);
  const stored = storedOf(plan, company)?.reports.find((one) => one.name === name);
  checkStores(plan, company, `${path}.stores`, given.stores);
  if (given.group && given.stores)
    plan.problems.push(wrongValue(`${path}.group`, given.group, 'not together with stores'));
  const { period = stored?.period, recipients = stored?.recipients } = given;
  if (period === undefined)
    addMissing(plan, `${path}.period`, 'daily, weekly or monthly, since this report is new');
  if (recipients === undefined)
    addMissing(plan, `${path}.recipients`, 'mail addresses, since this report is new');
  const group = given.group ? groupOf(plan, company, `${path}.group`, given.group) : null;
  if (period === undefined || recipients === undefined) return;
  const scope = { group, stores: given.stores ? sidSet(given.stores) : null };
  const isNewScope = given.group !== undefined || given.stores !== undefined;
  const wanted = {
    name,
    period,
    recipients: [...new Set(recipients)],
    language: given.language ?? stored?.language ?? 'en',
    hour: stored?.hour ?? null,
    ...(stored === undefined || isNewScope ? scope : { group: stored.group, stores: stored.stores }),
    enabled: given.enabled ?? stored?.enabled ?? true,
  };
  planEntry(plan, { kind: 'report', key: name, company: company.name }, { stored, wanted }, (trx) =>
    writeReport(trx, company.key, wanted),
  );
}

/** The name of a group as it is stored. */
function groupOf(plan: Plan, company: Company, path: string, group: string): string | null {
  const key = nameKey(group);
  const inFile = company.shopGroups.find(({ name }) => nameKey(name) === key)?.name;
  const found = inFile ?? storedOf(plan, company)?.shopGroups.get(key)?.name;
  if (found !== undefined) return cleanName(found);
  plan.problems.push(wrongValue(path, group, `the name of a shop group of ${company.name}`));
  return null;
}
