import type { MailLanguage } from '@visitor-counter/domain/mail';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { claimDue, isPending } from '../outbox/outbox.ts';
import type { DB } from '../sql/schema.ts';
import type { AlertKind } from './alert-kinds.ts';

export type TargetKind = 'webhook' | 'mail';

/** An alert message to send to a target. */
export interface Delivery {
  readonly id: string;
  readonly alertId: string;
  readonly phase: 'raised' | 'cleared';
  /** Including this one. */
  readonly attempts: number;
  readonly companyName: string;
  readonly kind: AlertKind;
  readonly about: Readonly<Record<string, unknown>>;
  readonly beganAt: number;
  readonly raisedAt: number;
  readonly clearedAt: number | null;
  /** That of the store, or of all stores of the company; null if they have several. */
  readonly timeZone: string | null;
  readonly target: {
    readonly id: number;
    readonly label: string;
    readonly kind: TargetKind;
    readonly language: MailLanguage;
    /** Of mail. */
    readonly address: string | null;
    /** The encrypted webhook, in base64. */
    readonly sealed: string | null;
  };
}

/** Claims due messages to one kind of targets. The end of an alert is not sent before its beginning. */
export async function claimDeliveries(
  db: Kysely<DB>,
  targetKind: TargetKind,
  limit: number,
): Promise<Delivery[]> {
  const isNext = sql`target_id in (select id from alert_target where kind = ${targetKind})
    and not exists (
      select from alert_delivery earlier
      where alert_delivery.phase = 'cleared' and earlier.phase = 'raised'
        and earlier.alert_id = alert_delivery.alert_id and earlier.target_id = alert_delivery.target_id
        and earlier.delivered_at is null and earlier.given_up_at is null
    )`;
  const { rows } = await sql<Delivery>`
    with ${claimDue('alert_delivery', limit, isNext)}
    select claimed.id, alert.id as alert_id, phase, attempts, company.name as company_name, alert.kind,
      about, began_at, raised_at, cleared_at,
      coalesce(store.time_zone, (
        select min(time_zone) from store where store.company_id = alert.company_id
        having count(distinct time_zone) = 1
      )) as time_zone,
      json_build_object('id', target.id, 'label', label, 'kind', target.kind, 'language', language, 'address', target.address,
        'sealed', translate(encode(sealed, 'base64'), chr(10), '')) as target
    from claimed
    join alert on alert.id = claimed.alert_id
    join company on company.id = alert.company_id
    left join store on store.id = alert.store_id
    join alert_target target on target.id = claimed.target_id`.execute(db);
  return rows;
}

/** Gives up the pending messages to the targets of a company that are switched off. */
export async function giveUpMessages(db: Kysely<DB>, company: RawBuilder<number>): Promise<void> {
  await sql`
    update alert_delivery set given_up_at = now()
    where ${isPending} and target_id in (select id from alert_target where company_id = ${company} and not enabled)`.execute(
    db,
  );
}
