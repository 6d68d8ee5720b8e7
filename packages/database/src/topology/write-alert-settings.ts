import type { Kysely } from 'kysely';
import { companyId } from '../stores/references.ts';
import type { Schema } from '../tables/schema.ts';
import type { StoredAlertRule, StoredAlertTarget } from './stored-topology.ts';

/** Inserts or updates a rule of a company. */
export async function writeAlertRule(
  db: Kysely<Schema>,
  companyKey: string,
  rule: StoredAlertRule,
): Promise<void> {
  const fields = { after_seconds: rule.afterSeconds, threshold: rule.threshold, enabled: rule.enabled };
  await db
    .insertInto('alert_rule')
    .values({ company_id: companyId(companyKey), kind: rule.kind, ...fields })
    .onConflict((conflict) => conflict.columns(['company_id', 'kind']).doUpdateSet(fields))
    .execute();
}

/** Inserts or updates a target of a company. */
export async function writeAlertTarget(
  db: Kysely<Schema>,
  companyKey: string,
  { label, ...fields }: StoredAlertTarget,
): Promise<void> {
  await db
    .insertInto('alert_target')
    .values({ company_id: companyId(companyKey), label, ...fields })
    .onConflict((conflict) => conflict.columns(['company_id', 'label']).doUpdateSet(fields))
    .execute();
}
