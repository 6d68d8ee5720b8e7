import type { MailLanguage } from '@visitor-counter/domain/mail';
import { type RawBuilder, sql } from 'kysely';
import { isPending } from '../outbox/outbox.ts';
import { anyOf, type Db, instant } from '../sql/query-builder.ts';
import type { AlertKind, RuleKind } from './alert-kinds.ts';

interface AlertQuery {
  readonly companyId: number;
  readonly storeIds: readonly number[];
  /** Include alerts that are about no store. */
  readonly ofCompany: boolean;
  /** Only alerts that are open, or were cleared at this instant (epoch ms) or later. */
  readonly from: number;
  /** Only alerts after the one with this id. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** An alert as its company sees it; one about the whole company has no store. Instants are epoch ms. */
export type AlertFacts = Awaited<ReturnType<typeof listAlerts>>[number];

/** The alerts of stores, the last raised first, without the tests that operators send. */
export async function listAlerts(db: Db, query: AlertQuery) {
  const { companyId, storeIds, ofCompany, from, after, limit } = query;
  return await db
    .selectFrom('alert')
    .leftJoin('device', 'device.id', 'alert.deviceId')
    .select(['alert.id', 'alert.kind', 'alert.storeId', 'device.serial', 'alert.about'])
    .select(['alert.beganAt', 'alert.raisedAt', 'alert.clearedAt'])
    .where('alert.companyId', '=', companyId)
    .where('alert.kind', '<>', 'test')
    .where((eb) =>
      ofCompany
        ? eb.or([eb('alert.storeId', '=', anyOf(storeIds)), eb('alert.storeId', 'is', null)])
        : eb('alert.storeId', '=', anyOf(storeIds)),
    )
    .where((eb) => eb.or([eb('clearedAt', 'is', null), eb('clearedAt', '>=', instant(from))]))
    .$if(after !== undefined, (some) =>
      some.where(
        sql<boolean>`(raised_at, alert.id) < (select raised_at, id from alert last where last.id = ${after})`,
      ),
    )
    .$narrowType<{ kind: RuleKind }>()
    .orderBy('raisedAt', 'desc')
    .orderBy('alert.id', 'desc')
    .limit(limit)
    .execute();
}

interface AlertFilter {
  readonly companyKey?: string | undefined;
  readonly open?: boolean | undefined;
}

/** The newest alerts, at most `limit`, open ones first; with a problem of a delivery that has not succeeded. */
export async function operatorAlerts(db: Db, { companyKey, open }: AlertFilter, limit: number) {
  return await db
    .selectFrom('alert')
    .innerJoin('company', 'company.id', 'alert.companyId')
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('outbox')
          .select(({ fn }) => [
            fn.count<number>('deliveredAt').as('sent'),
            fn.count<number>('givenUpAt').as('givenUp'),
            sql<number>`count(*) - count(delivered_at) - count(given_up_at)`.as('waiting'),
            fn.max('lastProblem').as('problem'),
          ])
          .whereRef('alertId', '=', 'alert.id')
          .as('delivery'),
      (join) => join.onTrue(),
    )
    .select(['alert.id', 'company.name as company', 'alert.kind', 'alert.about'])
    .select(['alert.beganAt', 'alert.raisedAt', 'alert.clearedAt'])
    .select(['delivery.sent', 'delivery.waiting', 'delivery.givenUp', 'delivery.problem'])
    .$if(companyKey !== undefined, (some) => some.where('company.nameKey', '=', companyKey ?? ''))
    .$if(open === true, (some) => some.where('clearedAt', 'is', null))
    .$narrowType<{ kind: AlertKind }>()
    .orderBy(sql`cleared_at is null`, 'desc')
    .orderBy('raisedAt', 'desc')
    .limit(limit)
    .execute();
}

/** Queues a test alert for a target and returns the name of its company; undefined when there is no such target. */
export async function sendTestAlert(db: Db, companyKey: string, label: string): Promise<string | undefined> {
  const target = await db
    .selectFrom('alertTarget as target')
    .innerJoin('company', 'company.id', 'target.companyId')
    .select(['target.id', 'target.kind', 'companyId', 'company.name as company'])
    .where('company.nameKey', '=', companyKey)
    .where('label', '=', label)
    .executeTakeFirst();
  if (target === undefined) return undefined;
  const { id: targetId, kind: channel, companyId, company } = target;
  const now = sql<number>`now()`;
  const test = { companyId, kind: 'test', subject: 'test', about: {}, beganAt: now, clearedAt: now };
  const { id: alertId } = await db.insertInto('alert').values(test).returning('id').executeTakeFirstOrThrow();
  await db.insertInto('outbox').values({ channel, kind: 'raised', alertId, targetId }).execute();
  return company;
}

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
export async function readDelivery(db: Db, id: string): Promise<Delivery | undefined> {
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
export async function giveUpMessages(db: Db, company: RawBuilder<number>): Promise<void> {
  const targets = db.selectFrom('alertTarget').select('id').where('companyId', '=', company);
  await db
    .updateTable('outbox')
    .set({ givenUpAt: sql<number>`now()` })
    .where(isPending)
    .where('targetId', 'in', targets.where('enabled', '=', false))
    .execute();
}
