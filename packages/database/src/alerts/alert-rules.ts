import { type Kysely, sql } from 'kysely';
import type { RuleKind } from '../tables/alert-kind.ts';
import type { Schema } from '../tables/schema.ts';

/** A company's rule to raise an alert when a condition has lasted for `after`. */
export interface AlertRule {
  readonly companyId: number;
  readonly kind: RuleKind;
  /** ms */
  readonly after: number;
  /** For `disk-low` and `version-old`; null for the usual limit. */
  readonly threshold: string | null;
}

/** The enabled rules of all companies, and the database's clock (epoch ms). */
export async function readAlertRules(
  db: Kysely<Schema>,
): Promise<{ readonly rules: AlertRule[]; readonly now: number }> {
  const rows = await db
    .selectFrom('alert_rule')
    .select(['company_id', 'kind', 'after_seconds', 'threshold'])
    .where('enabled', '=', true)
    .orderBy('company_id')
    .execute();
  const { rows: clock } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`.execute(db);
  return {
    rules: rows.map((row) => ({
      companyId: row.company_id,
      kind: row.kind,
      after: row.after_seconds * 1_000,
      threshold: row.threshold,
    })),
    now: Math.floor(clock[0]?.now ?? Number.NaN),
  };
}
