import type { MailLanguage } from '@visitor-counter/domain/mail';
import { sql } from 'kysely';
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

/**
 * An alert to send to a target: to a mail address, or to the webhook that is encrypted in `sealed`. `timeZone` is that of the
 * store, or of all stores of the company; null if they have several.
 */
export type Delivery = NonNullable<Awaited<ReturnType<typeof readDelivery>>>;

/** A message, by its id; undefined if its target or its alert was removed. */
export async function readDelivery(db: Db, id: string) {
  return await db
    .selectFrom('outbox as message')
    .innerJoin('alert', 'alert.id', 'message.alertId')
    .innerJoin('company', 'company.id', 'alert.companyId')
    .leftJoin('store', 'store.id', 'alert.storeId')
    .innerJoin('alertTarget as target', 'target.id', 'message.targetId')
    .select(['alert.id as alertId', 'message.kind as phase', 'company.name as companyName', 'alert.kind'])
    .select(['about', 'beganAt', 'raisedAt', 'clearedAt'])
    .select(
      sql<string | null>`coalesce(store.time_zone, (
        select min(time_zone) from store where store.company_id = alert.company_id
        having count(distinct time_zone) = 1
      ))`.as('timeZone'),
    )
    .select(['label', 'target.kind as targetKind', 'language', 'target.address', 'sealed'])
    .where('message.id', '=', id)
    .$narrowType<{ phase: 'raised' | 'cleared'; kind: AlertKind; about: Readonly<Record<string, unknown>> }>()
    .$narrowType<{ targetKind: TargetKind; language: MailLanguage }>()
    .executeTakeFirst();
}

/** Gives up the pending messages to the targets of a company that are switched off. */
export async function giveUpMessages(db: Db, companyId: number): Promise<void> {
  const targets = db.selectFrom('alertTarget').select('id').where('companyId', '=', companyId);
  await db
    .updateTable('outbox')
    .set({ givenUpAt: sql<number>`now()` })
    .where(isPending)
    .where('targetId', 'in', targets.where('enabled', '=', false))
    .execute();
}
