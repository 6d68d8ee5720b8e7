import { insertCompany, respellCompany } from '@visitor-counter/database/topology/write-topology';
import type { Company, Topology } from '../../file/topology.ts';
import { type Facts, type Plan, planEntry, planFields } from './plan.ts';
import { planAlertRule } from './plan-alert-rule.ts';
import { planAlertTarget } from './plan-alert-target.ts';
import { planCredential } from './plan-credential.ts';
import { planDevice } from './plan-device.ts';
import { planShopGroup } from './plan-shop-group.ts';
import { planStore } from './plan-store.ts';

/**
 * Plans the changes that make the database match a file: missing entries are created, different ones are changed, and
 * those that the file leaves out are unchanged. Finds the problems of the file that depend on the database.
 */
export function planTopology(topology: Topology, facts: Facts): Plan {
  const plan: Plan = { ...facts, changes: [], secrets: [], problems: [], unchanged: 0 };
  for (const company of topology.companies) {
    planCompany(plan, company);
    for (const store of company.stores) planStore(plan, company, store);
    for (const group of company.shopGroups) planShopGroup(plan, company, group);
    for (const device of company.devices) planDevice(plan, company, device);
    for (const credential of company.credentials) planCredential(plan, company, credential);
    for (const rule of company.alertRules) planAlertRule(plan, company, rule);
    for (const target of company.alertTargets) planAlertTarget(plan, company, target);
  }
  return plan;
}

function planCompany(plan: Plan, { name, key }: Company): void {
  const about = { kind: 'company', key: name, company: name } as const;
  const stored = plan.stored.companies.get(key);
  if (stored === undefined) {
    planEntry(plan, [{ change: { action: 'created', ...about }, write: (trx) => insertCompany(trx, name) }]);
    return;
  }
  planEntry(plan, [planFields(about, { name: stored.name !== name }, (trx) => respellCompany(trx, name))]);
}
