import { sql } from 'kysely';
import { devicesInStores } from '../devices/list-devices.ts';
import { anyOf, type Db, instant } from '../sql/query-builder.ts';
import { calendar } from '../stores/store-facts.ts';
import type { RuleKind } from './alert-kinds.ts';
import type { Candidates } from './devices-in-trouble.ts';

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
export async function withNames(db: Db, findings: readonly StoreFinding[]) {
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
export async function storesWithRule(db: Db, kind: FindingKind, storeId: number, limit: number) {
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

function storesOf(db: Db, companyIds: readonly number[]) {
  return db
    .selectFrom('store')
    .select(['store.id as storeId', 'store.companyId', 'store.sid', 'store.name'])
    .where('store.companyId', '=', anyOf(companyIds))
    .orderBy('store.id');
}

const recorded = sql<string>`state.heartbeat->>'recorded'`;
const acknowledged = sql<string>`state.heartbeat->>'acknowledged'`;

/**
 * The stores of companies whose crossings may be missing since `cutoff` (epoch ms): those with a device whose last
 * heartbeat is older or reports pending crossings, and those among `known`.
 */
export async function storesInDoubt(db: Db, { companyIds, cutoff, known }: Candidates) {
  return await storesOf(db, companyIds)
    .where((eb) =>
      eb.or([
        eb('store.id', '=', anyOf(known)),
        eb(
          'store.id',
          'in',
          devicesInStores(db)
            .select('current.storeId')
            .where('device.companyId', '=', anyOf(companyIds))
            .where('device.retiredAt', 'is', null)
            .where((either) =>
              either.or([
                either('state.heartbeatAt', '<=', instant(cutoff)),
                either(recorded, '<>', acknowledged),
              ]),
            ),
        ),
      ]),
    )
    .execute();
}

/** The stores of companies that have a capacity. */
export async function storesWithCapacity(db: Db, companyIds: readonly number[]) {
  return await storesOf(db, companyIds)
    .select(['store.id', calendar, 'capacity'])
    .where('capacity', 'is not', null)
    .$narrowType<{ capacity: number }>()
    .execute();
}
