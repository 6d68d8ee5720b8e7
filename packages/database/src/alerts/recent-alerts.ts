import { type Kysely, sql } from 'kysely';
import type { AlertKind } from '../tables/alert-kind.ts';
import type { Schema } from '../tables/schema.ts';

/** How often an alert was raised in the last hour. */
export interface RecentAlert {
  readonly companyId: number;
  readonly kind: AlertKind;
  readonly subject: string;
  readonly count: number;
}

export async function readRecentAlerts(db: Kysely<Schema>): Promise<RecentAlert[]> {
  const { rows } = await sql<RecentAlert>`
    select company_id as "companyId", kind, subject, count(*)::integer as count
    from alert
    where company_id in (select company_id from alert_rule) and raised_at > now() - interval '1 hour'
    group by company_id, kind, subject`.execute(db);
  return rows;
}
