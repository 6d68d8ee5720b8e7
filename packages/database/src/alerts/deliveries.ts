import type { MailLanguage } from '@visitor-counter/domain/mail';
import { type Kysely, sql } from 'kysely';
import { inMs } from '../sql/instant.ts';
import type { AlertKind } from './alert-kinds.ts';

/** An alert message to send to a target. */
export interface Delivery {
  readonly id: string;
  readonly alertId: string;
  readonly phase: 'raised' | 'cleared';
  /** Including this one. */
  readonly attempts: number;
  readonly companyName: string;
  readonly kind: AlertKind;
  readonly about: unknown;
  readonly beganAt: Date;
  readonly raisedAt: Date;
  readonly clearedAt: Date | null;
  /** That of the store, or of all stores of the company; null if they have several. */
  readonly timeZone: string | null;
  readonly target: {
    readonly id: number;
    readonly label: string;
    readonly kind: 'webhook' | 'mail';
    readonly language: MailLanguage;
    /** Of mail. */
    readonly address: string | null;
    /** The encrypted webhook, in base64. */
    readonly sealed: string | null;
  };
}

export interface Claim {
  /** The most messages: in all, and to one target. */
  readonly limit: number;
  readonly perTarget: number;
  /** ms: a message is due again if its sender neither completes it nor renews its claim within this time. */
  readonly lease: number;
  /** Ids of targets to skip. */
  readonly busy: readonly number[];
}

/**
 * Claims due messages, those with the fewest attempts first, so that an unreachable target delays no other. The end
 * of an alert is not sent before its beginning.
 */
export async function claimDeliveries(
  db: Kysely<unknown>,
  { limit, perTarget, lease, busy }: Claim,
): Promise<Delivery[]> {
  const { rows } = await sql<Delivery>`
    with candidate as (
      select id, row_number() over (partition by target_id order by attempts, next_attempt_at, id) as turn
      from alert_delivery delivery
      where delivered_at is null and given_up_at is null and next_attempt_at <= now()
        and target_id <> all(${busy}::integer[])
        and not exists (
          select from alert_delivery earlier
          where delivery.phase = 'cleared' and earlier.phase = 'raised'
            and earlier.alert_id = delivery.alert_id and earlier.target_id = delivery.target_id
            and earlier.delivered_at is null and earlier.given_up_at is null
        )
    ), due as (
      select id from alert_delivery
      where id in (select id from candidate where turn <= ${perTarget})
        and delivered_at is null and given_up_at is null and next_attempt_at <= now()
      order by attempts, next_attempt_at limit ${limit}
      for update skip locked
    ), claimed as (
      update alert_delivery set attempts = attempts + 1, next_attempt_at = ${inMs(lease)}
      from due where due.id = alert_delivery.id
      returning alert_delivery.*
    )
    select claimed.id, alert.id as "alertId", phase, attempts, company.name as "companyName", alert.kind,
      about, began_at as "beganAt", raised_at as "raisedAt", cleared_at as "clearedAt",
      coalesce(store.time_zone, (
        select min(time_zone) from store where store.company_id = alert.company_id
        having count(distinct time_zone) = 1
      )) as "timeZone",
      json_build_object('id', target.id, 'label', label, 'kind', target.kind, 'language', language, 'address', target.address,
        'sealed', translate(encode(sealed, 'base64'), chr(10), '')) as target
    from claimed
    join alert on alert.id = claimed.alert_id
    join company on company.id = alert.company_id
    left join store on store.id = alert.store_id
    join alert_target target on target.id = claimed.target_id
    order by claimed.id`.execute(db);
  return rows;
}

/**
 * Extends the claims on messages that are being sent, to `lease` ms from now. The pause after an attempt that has just
 * failed stays.
 */
export async function extendClaims(
  db: Kysely<unknown>,
  ids: readonly string[],
  lease: number,
): Promise<void> {
  await sql`
    update alert_delivery set next_attempt_at = greatest(next_attempt_at, ${inMs(lease)})
    where id = any(${ids}::bigint[]) and delivered_at is null and given_up_at is null`.execute(db);
}

export async function deliverySucceeded(db: Kysely<unknown>, id: string): Promise<void> {
  await sql`update alert_delivery set delivered_at = now(), last_problem = null where id = ${id}`.execute(db);
}

/** Records a failed attempt. The next one is after `pause` ms; undefined: there is none. */
export async function deliveryFailed(
  db: Kysely<unknown>,
  id: string,
  problem: string,
  pause: number | undefined,
): Promise<void> {
  await sql`
    update alert_delivery set last_problem = ${problem},
      given_up_at = case when ${pause ?? null}::float8 is null then now() end,
      next_attempt_at = ${inMs(pause ?? 0)}
    where id = ${id}`.execute(db);
}
