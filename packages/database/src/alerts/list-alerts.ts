import { type Kysely, sql } from 'kysely';
import { epochMs, timestamp } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';
import type { AlertKind, RuleKind } from './alert-kinds.ts';

/** An alert as its company sees it. Instants are epoch ms. */
export interface AlertFacts {
  readonly id: string;
  readonly kind: RuleKind;
  /** Null for an alert about the whole company. */
  readonly storeId: number | null;
  readonly serial: string | null;
  readonly about: unknown;
  readonly beganAt: number;
  readonly raisedAt: number;
  readonly clearedAt: number | null;
  /** The cursor after this alert. */
  readonly place: string;
}

interface AlertQuery {
  readonly companyId: number;
  readonly storeIds: readonly number[];
  /** Include alerts that are about no store. */
  readonly ofCompany: boolean;
  /** Only alerts that are open, or were cleared at this instant (epoch ms) or later. */
  readonly from: number;
  /** Only alerts after this cursor. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** The alerts of stores, the last raised first, without the tests that operators send. */
export async function listAlerts(db: Kysely<DB>, query: AlertQuery): Promise<AlertFacts[]> {
  const { companyId, storeIds, ofCompany, from, after, limit } = query;
  const [raised = null, id = null] = after?.split('_') ?? [];
  const { rows } = await sql<AlertFacts>`
    select alert.id, kind, store_id, device.serial, about, ${epochMs('began_at')} as began_at,
      ${epochMs('raised_at')} as raised_at, ${epochMs('cleared_at')} as cleared_at,
      ${raisedMicroseconds} || '_' || alert.id as place
    from alert left join device on device.id = alert.device_id
    where alert.company_id = ${companyId} and kind <> 'test'
      and (store_id = any(${storeIds}::integer[]) or (store_id is null and ${ofCompany}))
      and (cleared_at is null or cleared_at >= ${timestamp(from)}::timestamptz)
      and (${raised}::bigint is null or (${raisedMicroseconds}, alert.id)
        < (${raised}::bigint, ${id}::uuid))
    order by raised_at desc, alert.id desc limit ${limit}`.execute(db);
  return rows;
}

/** Bounded: a bigint has no infinity. */
const raisedMicroseconds = sql.raw(
  `(extract(epoch from least(greatest(raised_at, 'epoch'), '9999-12-30'::timestamptz)) * 1000000)::bigint`,
);

/** Whether `text` has the format of `AlertFacts.place`. */
export function isPlace(text: string): boolean {
  return /^\d{1,18}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

/** An alert as an operator sees it. */
export interface ListedAlert {
  readonly id: string;
  readonly company: string;
  readonly kind: AlertKind;
  readonly about: unknown;
  readonly beganAt: number;
  readonly raisedAt: number;
  readonly clearedAt: number | null;
  /** How many of its messages were sent, are pending, or were given up. */
  readonly sent: number;
  readonly waiting: number;
  readonly givenUp: number;
  /** The problem of a delivery that has not succeeded; of several, one of them. */
  readonly problem: string | null;
}

interface AlertFilter {
  readonly companyKey?: string | undefined;
  readonly open?: boolean | undefined;
}

/** The newest alerts, at most `limit`, open ones first. */
export async function operatorAlerts(
  db: Kysely<DB>,
  { companyKey, open }: AlertFilter,
  limit: number,
): Promise<ListedAlert[]> {
  const { rows } = await sql<ListedAlert>`
    select alert.id, company.name as company, alert.kind, about, began_at as "beganAt",
      raised_at as "raisedAt", cleared_at as "clearedAt", sent, waiting, given_up as "givenUp", problem
    from alert
    join company on company.id = alert.company_id
    cross join lateral (
      select count(delivered_at)::integer as sent, count(given_up_at)::integer as given_up,
        (count(*) - count(delivered_at) - count(given_up_at))::integer as waiting, max(last_problem) as problem
      from alert_delivery where alert_id = alert.id
    ) delivery
    where (${companyKey ?? null}::text is null or company.name_key = ${companyKey ?? null})
      and (not ${open === true} or cleared_at is null)
    order by cleared_at is null desc, raised_at desc limit ${limit}`.execute(db);
  return rows;
}

/** Queues a test alert for a target and returns the name of its company; undefined when there is no such target. */
export async function sendTestAlert(
  db: Kysely<DB>,
  companyKey: string,
  label: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ company: string }>`
    with target as (
      select target.id, company_id, company.name as company from alert_target target
      join company on company.id = target.company_id
      where company.name_key = ${companyKey} and label = ${label}
    ), test as (
      insert into alert (company_id, kind, subject, about, began_at, cleared_at)
      select company_id, 'test', 'test', '{}', now(), now() from target
      returning id
    ), queued as (
      insert into alert_delivery (alert_id, target_id, phase)
      select test.id, target.id, 'raised' from test, target
    )
    select company from target`.execute(db);
  return rows[0]?.company;
}
