import { type Kysely, sql } from 'kysely';
import { anyOf } from '../sql/arrays.ts';
import type { DB } from '../sql/schema.ts';
import type { RuleKind } from './alert-kinds.ts';

/** The alerts that compare the counts of a store with its opening hours, or with what is usual: of `direction-doubtful` the drift. */
export const findingKinds = [
  'visitors-while-closed',
  'silent-while-open',
  'direction-doubtful',
] as const satisfies readonly RuleKind[];
export type FindingKind = (typeof findingKinds)[number];

/** What the counts of a store show, or those of one of its doors: at most one of a kind about each. */
export interface StoreFinding {
  readonly kind: FindingKind;
  readonly storeId: number;
  readonly deviceId: number | null;
  /** Epoch ms. */
  readonly since: number;
  /** Facts for the message. */
  readonly about: Readonly<Record<string, number>>;
}

/** Findings with the present names of their stores and doors; those about a retired device are left out. */
export async function withNames(db: Kysely<DB>, findings: readonly StoreFinding[]) {
  if (findings.length === 0) return [];
  const stores = await db
    .selectFrom('store')
    .select(['id', 'companyId', 'sid', 'name'])
    .where('id', '=', anyOf(findings.map(({ storeId }) => storeId)))
    .execute();
  const devices = await db
    .selectFrom('device')
    .select(['id', 'serial', 'name'])
    .where('id', '=', anyOf(findings.flatMap(({ deviceId }) => deviceId ?? [])))
    .where('retiredAt', 'is', null)
    .execute();
  const storeOf = new Map(stores.map((store) => [store.id, store]));
  const deviceOf = new Map(devices.map((device) => [device.id, device]));
  return findings.flatMap(({ storeId, deviceId, ...finding }) => {
    const store = storeOf.get(storeId);
    const device = deviceId === null ? null : deviceOf.get(deviceId);
    return store && device !== undefined ? [{ ...finding, store, device }] : [];
  });
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
