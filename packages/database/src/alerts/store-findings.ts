import { type Kysely, type Selectable, sql } from 'kysely';
import type { DB, StoreFinding as StoreFindingRow } from '../sql/schema.ts';
import type { RuleKind } from './alert-kinds.ts';

/** The alerts that compare the counts of a store with its opening hours, or with what is usual: of `direction-doubtful` the drift. */
export const findingKinds = [
  'visitors-while-closed',
  'silent-while-open',
  'direction-doubtful',
] as const satisfies readonly RuleKind[];
export type FindingKind = (typeof findingKinds)[number];

/** What the counts of a store show, or those of one of its doors. */
export interface StoreFinding extends Omit<Selectable<StoreFindingRow>, 'kind' | 'about'> {
  readonly kind: FindingKind;
  readonly about: Readonly<Record<string, number>>;
}

/** Replaces the findings of a kind: at most one about each store, or about each of its doors. */
export async function replaceFindings(
  trx: Kysely<DB>,
  kind: FindingKind,
  findings: readonly StoreFinding[],
): Promise<void> {
  await trx.deleteFrom('storeFinding').where('kind', '=', kind).execute();
  await sql`
    insert into store_finding (store_id, kind, device_id, since, about)
    select "storeId", kind, "deviceId", to_timestamp(since / 1000), about
    from json_to_recordset(${JSON.stringify(findings)}) as found (
      "storeId" int, kind text, "deviceId" int, since float8, about json
    )`.execute(trx);
}

/** The findings that companies have an enabled rule for, with names; those about a retired device are left out. */
export async function storeFindings(db: Kysely<DB>) {
  return await db
    .selectFrom('storeFinding as finding')
    .innerJoin('store', 'store.id', 'finding.storeId')
    .innerJoin('alertRule as rule', (join) =>
      join.onRef('rule.companyId', '=', 'store.companyId').onRef('rule.kind', '=', 'finding.kind'),
    )
    .leftJoin('device', 'device.id', 'finding.deviceId')
    .select(['store.id as storeId', 'store.companyId', 'store.sid', 'store.name', 'finding.kind'])
    .select(['finding.deviceId', 'device.serial', 'device.name as device', 'finding.since', 'finding.about'])
    .where('rule.enabled', '=', true)
    .where('device.retiredAt', 'is', null)
    .$narrowType<Pick<StoreFinding, 'kind' | 'about'>>()
    .orderBy('store.id')
    .orderBy('finding.kind')
    .orderBy('finding.deviceId')
    .execute();
}

/** The stores of companies with an enabled rule of a kind, by id, those after `storeId`; `after`: the rule's time (ms). */
export async function storesWithRule(db: Kysely<DB>, kind: FindingKind, storeId: number, limit: number) {
  return await db
    .selectFrom('store')
    .innerJoin('alertRule as rule', 'rule.companyId', 'store.companyId')
    .select([
      'store.id as storeId',
      'timeZone',
      'dayStartsAt',
      sql<number>`after_seconds * 1000::bigint`.as('after'),
    ])
    .where('rule.kind', '=', kind)
    .where('rule.enabled', '=', true)
    .where('store.id', '>', storeId)
    .orderBy('store.id')
    .limit(limit)
    .execute();
}

export type RuledStore = Awaited<ReturnType<typeof storesWithRule>>[number];
