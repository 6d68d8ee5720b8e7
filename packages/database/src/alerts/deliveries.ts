import type { MailLanguage } from '@visitor-counter/domain/mail';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPending } from '../outbox/outbox.ts';
import type { DB } from '../sql/schema.ts';
import type { AlertKind } from './alert-kinds.ts';

export type TargetKind = 'webhook' | 'mail';

/** An alert message to send to a target. */
export interface Delivery {
  readonly alertId: string;
  readonly phase: 'raised' | 'cleared';
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

/** A message, by its id; undefined if its target or its alert was removed. */
export async function readDelivery(db: Kysely<DB>, id: string): Promise<Delivery | undefined> {
  const { rows } = await sql<Delivery>`
    select alert.id as alert_id, message.kind as phase, company.name as company_name, alert.kind, about, began_at,
      raised_at, cleared_at,
      coalesce(store.time_zone, (
        select min(time_zone) from store where store.company_id = alert.company_id
        having count(distinct time_zone) = 1
      )) as time_zone,
      json_build_object('id', target.id, 'label', label, 'kind', target.kind, 'language', language, 'address', target.address,
        'sealed', translate(encode(sealed, 'base64'), chr(10), '')) as target
    from outbox message
    join alert on alert.id = message.alert_id
    join company on company.id = alert.company_id
    left join store on store.id = alert.store_id
    join alert_target target on target.id = message.target_id
    where message.id = ${id}`.execute(db);
  return rows[0];
}

/** Gives up the pending messages to the targets of a company that are switched off. */
export async function giveUpMessages(db: Kysely<DB>, company: RawBuilder<number>): Promise<void> {
  await sql`
    update outbox set given_up_at = now()
    where ${isPending} and target_id in (select id from alert_target where company_id = ${company} and not enabled)`.execute(
    db,
  );
}
