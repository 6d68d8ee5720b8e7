import { boundedInstant } from '@visitor-counter/domain/time';
import { type Kysely, sql } from 'kysely';
import { lockKeys, tryLock } from '../sql/advisory-locks.ts';
import { epochMs } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';
import { type AlertKind, alertKinds, type RuleKind } from './alert-kinds.ts';

/** A company's rule to raise an alert when a condition has lasted for `after`. */
interface AlertRule {
  readonly companyId: number;
  readonly kind: RuleKind;
  /** ms */
  readonly after: number;
  /** For `disk-low` and `version-old`; null for the usual limit. */
  readonly threshold: string | null;
}

/** The enabled rules of all companies, and the database's clock (epoch ms). */
export async function readAlertRules(
  db: Kysely<DB>,
): Promise<{ readonly rules: AlertRule[]; readonly now: number }> {
  const { rows: rules } = await sql<AlertRule>`
    select company_id as "companyId", kind, after_seconds * 1000::float8 as after, threshold
    from alert_rule where enabled order by company_id`.execute(db);
  const { rows: clock } = await sql<{ now: number }>`
    select ${epochMs('clock_timestamp()')} as now`.execute(db);
  return { rules, now: clock[0]?.now ?? Number.NaN };
}

/** An alert that was raised and not cleared. */
export interface OpenAlert {
  readonly id: string;
  readonly companyId: number;
  readonly kind: AlertKind;
  /** Identifies what it is about; constant while the alert is open. */
  readonly subject: string;
  readonly deviceId: number | null;
}

/**
 * The open alerts of the kinds that this version knows. A later version that serves at the same time decides about the others:
 * this one would clear them, and the other one would raise them again.
 */
export async function readOpenAlerts(db: Kysely<DB>): Promise<OpenAlert[]> {
  const { rows } = await sql<OpenAlert>`
    select id, company_id as "companyId", kind, subject, device_id as "deviceId"
    from alert where cleared_at is null and kind = any(${[...alertKinds, 'flapping']}::text[])`.execute(db);
  return rows;
}

/** How often an alert was raised in the last hour. */
interface RecentAlert extends Pick<OpenAlert, 'companyId' | 'kind' | 'subject'> {
  readonly count: number;
}

export async function readRecentAlerts(db: Kysely<DB>): Promise<RecentAlert[]> {
  const { rows } = await sql<RecentAlert>`
    select company_id as "companyId", kind, subject, count(*)::integer as count
    from alert
    where company_id in (select company_id from alert_rule) and raised_at > now() - interval '1 hour'
    group by company_id, kind, subject`.execute(db);
  return rows;
}

/** An alert to raise. */
export interface NewAlert extends Pick<OpenAlert, 'companyId' | 'kind' | 'subject'> {
  readonly storeId?: number;
  readonly deviceId?: number;
  /** The facts for its messages; JSON. */
  readonly about: Readonly<Record<string, string | number>>;
  /** The instant (epoch ms) from which the rule applied. */
  readonly beganAt: number;
}

/**
 * Stores new alerts, and a delivery of each to every target of its company. Alerts that another process has raised
 * already are left out. Returns how many are new.
 */
export async function raiseAlerts(db: Kysely<DB>, alerts: readonly NewAlert[]): Promise<number> {
  if (alerts.length === 0) return 0;
  const values = alerts.map((alert) => ({ ...alert, beganAt: boundedInstant(alert.beganAt) }));
  const { rows } = await sql<{ raised: string }>`
    with raised as (
      insert into alert (company_id, kind, subject, store_id, device_id, about, began_at)
      select "companyId", kind, subject, "storeId", "deviceId", about, to_timestamp("beganAt" / 1000)
      from json_to_recordset(${JSON.stringify(values)}) as new (
        "companyId" int, kind text, subject text, "storeId" int, "deviceId" int, about json, "beganAt" float8
      )
      order by "companyId", kind, subject
      on conflict (company_id, kind, subject) where cleared_at is null do nothing
      returning id, company_id
    ), queued as (
      insert into alert_delivery (alert_id, target_id, phase)
      select raised.id, target.id, 'raised' from raised
      join alert_target target on target.company_id = raised.company_id and target.enabled
    )
    select count(*) as raised from raised`.execute(db);
  return Number(rows[0]?.raised);
}

/**
 * Clears alerts, and queues a delivery to every target that has one for the beginning and is not switched off. Returns how
 * many were open.
 */
export async function clearAlerts(db: Kysely<DB>, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const { rows } = await sql<{ cleared: string }>`
    with cleared as (
      update alert set cleared_at = now() where id = any(${ids}::uuid[]) and cleared_at is null returning id
    ), queued as (
      insert into alert_delivery (alert_id, target_id, phase)
      select cleared.id, delivery.target_id, 'cleared' from cleared
      join alert_delivery delivery on delivery.alert_id = cleared.id and delivery.phase = 'raised'
      join alert_target target on target.id = delivery.target_id and target.enabled
    )
    select count(*) as cleared from cleared`.execute(db);
  return Number(rows[0]?.cleared);
}

/** The longest pause of a process within the transaction (ms). */
const idleTimeout = 5_000;

/** `tryLock` for the evaluation of alerts. */
export async function tryEvaluationLock(trx: Kysely<DB>): Promise<boolean> {
  return await tryLock(trx, lockKeys.alerts, idleTimeout);
}
