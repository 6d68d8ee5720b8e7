import type { BusinessCalendar } from '@visitor-counter/domain/business-day';
import { type Kysely, sql } from 'kysely';
import { lockKeys, tryLock } from '../sql/advisory-locks.ts';
import { epochMs } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';
import type { RuleKind } from './alert-kinds.ts';

/** The alerts that compare the counts of a store with its opening hours, or with what is usual. */
export const findingKinds = [
  'visitors-while-closed',
  'silent-while-open',
  'door-drift',
] as const satisfies readonly RuleKind[];
export type FindingKind = (typeof findingKinds)[number];

/** What the counts of a store show. */
export interface StoreFinding {
  readonly storeId: number;
  readonly kind: FindingKind;
  /** The door that it is about; null for the whole store. */
  readonly deviceId: number | null;
  /** Epoch ms. */
  readonly since: number;
  readonly about: Readonly<Record<string, number>>;
}

/** A finding with the names that its messages have. */
interface NamedFinding extends StoreFinding {
  readonly companyId: number;
  readonly sid: string;
  readonly name: string;
  readonly serial: string | null;
  readonly device: string | null;
}

/** Replaces the findings of a kind: at most one about each store, or about each of its doors. */
export async function replaceFindings(
  trx: Kysely<DB>,
  kind: FindingKind,
  findings: readonly StoreFinding[],
): Promise<void> {
  const found = sql`json_to_recordset(${JSON.stringify(findings)}) as found (
    "storeId" int, kind text, "deviceId" int, since float8, about json)`;
  await sql`
    delete from store_finding known where kind = ${kind}
      and not exists (
        select from ${found}
        where "storeId" = store_id and "deviceId" is not distinct from device_id
      )`.execute(trx);
  await sql`
    insert into store_finding (store_id, kind, device_id, since, about)
    select "storeId", kind, "deviceId", to_timestamp(since / 1000), about from ${found} order by 1, 2, 3
    on conflict (store_id, kind, device_id) do update set since = excluded.since, about = excluded.about`.execute(
    trx,
  );
}

/** The findings that companies have an enabled rule for; those about a retired device are left out. */
export async function storeFindings(db: Kysely<DB>): Promise<NamedFinding[]> {
  const { rows } = await sql<NamedFinding>`
    select store.id as "storeId", store.company_id as "companyId", store.sid, store.name, finding.kind,
      finding.device_id as "deviceId", device.serial, device.name as device, ${epochMs('finding.since')} as since,
      finding.about
    from store_finding finding join store on store.id = finding.store_id
    join alert_rule rule on rule.company_id = store.company_id and rule.kind = finding.kind and rule.enabled
    left join device on device.id = finding.device_id
    where device.retired_at is null
    order by store.id, finding.kind, finding.device_id`.execute(db);
  return rows;
}

/** A store of a company that has a rule, and the time of the rule (ms). */
export interface RuledStore extends BusinessCalendar {
  readonly storeId: number;
  readonly after: number;
}

/** The stores of companies with an enabled rule of a kind, by id, those after `storeId`. */
export async function storesWithRule(
  db: Kysely<DB>,
  kind: FindingKind,
  storeId: number,
  limit: number,
): Promise<RuledStore[]> {
  const { rows } = await sql<RuledStore>`
    select store.id as "storeId", time_zone as "timeZone", day_starts_at as "dayStartsAt",
      after_seconds * 1000::float8 as after
    from store join alert_rule rule on rule.company_id = store.company_id and rule.kind = ${kind} and rule.enabled
    where store.id > ${storeId} order by store.id limit ${limit}`.execute(db);
  return rows;
}

/** The longest pause of a process within the transaction (ms). */
const idleTimeout = 30_000;

/** `tryLock` for the search for a kind of findings. */
export function tryFindingLock(trx: Kysely<DB>, kind: FindingKind): Promise<boolean> {
  return tryLock(trx, lockKeys.findings[kind], idleTimeout);
}
