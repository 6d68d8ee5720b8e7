import { type Kysely, sql } from 'kysely';
import type { AlertKind } from '../tables/alerts.ts';
import type { Schema } from '../tables/schema.ts';

/** An alert as an operator sees it. */
export interface ListedAlert {
  readonly id: string;
  readonly company: string;
  readonly kind: AlertKind;
  readonly about: unknown;
  readonly beganAt: Date;
  readonly raisedAt: Date;
  readonly clearedAt: Date | null;
  /** How many of its messages were sent, are pending, or were given up. */
  readonly sent: number;
  readonly waiting: number;
  readonly givenUp: number;
  /** The last problem of a delivery that has not succeeded. */
  readonly problem: string | null;
}

export interface AlertFilter {
  readonly companyKey?: string | undefined;
  readonly open?: boolean | undefined;
}

/** The newest alerts, at most `limit`, open ones first. */
export async function listAlerts(
  db: Kysely<Schema>,
  { companyKey, open }: AlertFilter,
  limit: number,
): Promise<ListedAlert[]> {
  const { rows } = await sql<ListedAlert>`
    select alert.id, company.name as company, alert.kind, about, began_at as "beganAt",
      raised_at as "raisedAt", cleared_at as "clearedAt", sent, waiting, given_up as "givenUp", problem
    from alert
    join company on company.id = alert.company_id
    cross join lateral (
      select count(delivered_at)::integer as sent, count(given_up_at)::integer as given_up,
        (count(*) - count(delivered_at) - count(given_up_at))::integer as waiting, max(last_problem) as problem
      from alert_delivery where alert_id = alert.id
    ) delivery
    where (${companyKey ?? null}::text is null or company.name_key = ${companyKey ?? null})
      and (not ${open === true} or cleared_at is null)
    order by cleared_at is null desc, raised_at desc limit ${limit}`.execute(db);
  return rows;
}

/** Queues a test alert for a target; false when the company has no such target. */
export async function sendTestAlert(db: Kysely<Schema>, companyKey: string, label: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    with target as (
      select target.id, company_id from alert_target target
      join company on company.id = target.company_id
      where company.name_key = ${companyKey} and label = ${label}
    ), test as (
      insert into alert (company_id, kind, subject, about, began_at, cleared_at)
      select company_id, 'test', 'test', '{}', now(), now() from target
      returning id
    ), queued as (
      insert into alert_delivery (alert_id, target_id, phase)
      select test.id, target.id, 'raised' from test, target
    )
    select exists (select from target) as found`.execute(db);
  return rows[0]?.found === true;
}
