import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';
import type { AlertKind } from './alert-kind.ts';

/** Something to be sent to a target. */
export interface Delivery {
  readonly id: string;
  readonly alertId: string;
  readonly phase: 'raised' | 'cleared';
  /** This one included. */
  readonly attempts: number;
  readonly companyName: string;
  readonly kind: AlertKind;
  readonly about: unknown;
  readonly beganAt: Date;
  readonly raisedAt: Date;
  readonly clearedAt: Date | null;
  readonly target: {
    readonly label: string;
    readonly kind: 'webhook' | 'mail';
    readonly address: string;
    readonly secret: string | null;
  };
}

/**
 * Takes what is due, at most `limit`, for `lease` ms: who does not settle it within that has died, and it is
 * due again. What was tried least comes first, so that a target that is away holds up no other. The end of an
 * alert is not sent before its beginning.
 */
export async function claimDeliveries(
  db: Kysely<Schema>,
  { limit, lease }: { readonly limit: number; readonly lease: number },
): Promise<Delivery[]> {
  const { rows } = await sql<Omit<Delivery, 'target'> & { target: Delivery['target'] }>`
    with due as (
      select delivery.id from alert_delivery delivery
      where delivered_at is null and given_up_at is null and next_attempt_at <= now()
        and not exists (
          select from alert_delivery earlier
          where delivery.phase = 'cleared' and earlier.phase = 'raised'
            and earlier.alert_id = delivery.alert_id and earlier.target_id = delivery.target_id
            and earlier.delivered_at is null and earlier.given_up_at is null
        )
      order by attempts, next_attempt_at limit ${limit}
      for update skip locked
    ), claimed as (
      update alert_delivery set attempts = attempts + 1,
        next_attempt_at = now() + make_interval(secs => ${lease}::float8 / 1000)
      from due where due.id = alert_delivery.id
      returning alert_delivery.*
    )
    select claimed.id, alert.id as "alertId", phase, attempts, company.name as "companyName", alert.kind,
      about, began_at as "beganAt", raised_at as "raisedAt", cleared_at as "clearedAt",
      json_build_object('label', label, 'kind', target.kind, 'address', address, 'secret', secret) as target
    from claimed
    join alert on alert.id = claimed.alert_id
    join company on company.id = alert.company_id
    join alert_target target on target.id = claimed.target_id
    order by claimed.id`.execute(db);
  return rows;
}

export async function deliverySucceeded(db: Kysely<Schema>, id: string): Promise<void> {
  await sql`update alert_delivery set delivered_at = now(), last_problem = null where id = ${id}`.execute(db);
}

/** It is tried again after `pause` ms; with undefined, never. */
export async function deliveryFailed(
  db: Kysely<Schema>,
  id: string,
  problem: string,
  pause: number | undefined,
): Promise<void> {
  await sql`
    update alert_delivery set last_problem = ${problem},
      given_up_at = case when ${pause ?? null}::float8 is null then now() end,
      next_attempt_at = now() + make_interval(secs => coalesce(${pause ?? null}::float8, 0) / 1000)
    where id = ${id}`.execute(db);
}
