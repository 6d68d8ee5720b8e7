import { sql } from 'kysely';
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
