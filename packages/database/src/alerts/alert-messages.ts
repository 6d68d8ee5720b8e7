import type { MailLanguage } from '@visitor-counter/domain/mail';
import { sql } from 'kysely';
import { isPending } from '../outbox/outbox.ts';
import type { Db } from '../sql/query-builder.ts';
import type { AlertKind } from './alert-kinds.ts';

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
export type AlertMessage = NonNullable<Awaited<ReturnType<typeof readAlertMessage>>>;

/** A message, by its id; undefined if its target or its alert was removed. */
export async function readAlertMessage(db: Db, id: string) {
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
