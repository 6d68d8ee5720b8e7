import { boundedInstant } from '@visitor-counter/domain/time';
import { sql } from 'kysely';
import { ingestPatience } from '../devices/connections.ts';
import type { Db } from '../sql/query-builder.ts';
import type { AlertKind, RuleKind } from './alert-kinds.ts';

/** A company's rule to raise an alert when a condition has lasted for `after` (ms). */
export type EnabledRule = Awaited<ReturnType<typeof readAlertRules>>['rules'][number];

/** The enabled rules of all companies, and the database's clock (epoch ms). */
export async function readAlertRules(db: Db) {
  const rows = await db
    .selectFrom('alertRule')
    .select(['companyId', 'kind', 'afterSeconds', 'threshold'])
    .where('enabled', '=', true)
    .$narrowType<{ kind: RuleKind }>()
    .orderBy('companyId')
    .execute();
  const clock = await db.selectNoFrom(sql<number>`clock_timestamp()`.as('now')).executeTakeFirstOrThrow();
  return {
    rules: rows.map(({ afterSeconds, ...rule }) => ({ ...rule, after: afterSeconds * 1_000 })),
    ...clock,
  };
}

/** An alert that was raised and not cleared. `subject` identifies what it is about; it is constant while the alert is open. */
export type OpenAlert = Awaited<ReturnType<typeof readOpenAlerts>>[number];

export async function readOpenAlerts(db: Db) {
  return await db
    .selectFrom('alert')
    .select(['id', 'companyId', 'kind', 'subject', 'deviceId'])
    .where('clearedAt', 'is', null)
    .$narrowType<{ kind: AlertKind }>()
    .execute();
}

/** How often alerts were raised in the last hour. */
export async function readRecentAlerts(db: Db) {
  return await db
    .selectFrom('alert')
    .select(({ fn }) => ['companyId', 'kind', 'subject', fn.countAll<number>().as('count')])
    .where('companyId', 'in', (eb) => eb.selectFrom('alertRule').select('companyId'))
    .where('raisedAt', '>', sql<number>`now() - interval '1 hour'`)
    .$narrowType<{ kind: AlertKind }>()
    .groupBy(['companyId', 'kind', 'subject'])
    .execute();
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
export async function raiseAlerts(db: Db, alerts: readonly NewAlert[]): Promise<number> {
  if (alerts.length === 0) return 0;
  const values = alerts.map((alert) => ({ ...alert, beganAt: boundedInstant(alert.beganAt) }));
  const { rows } = await sql<{ raised: number }>`
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
      insert into outbox (channel, kind, alert_id, target_id)
      select target.kind, 'raised', raised.id, target.id from raised
      join alert_target target on target.company_id = raised.company_id and target.enabled
    )
    select count(*) as raised from raised`.execute(db);
  return rows[0]?.raised ?? 0;
}

/**
 * Clears alerts, and queues a delivery to every target that has one for the beginning and is not switched off. Returns how
 * many were open.
 */
export async function clearAlerts(db: Db, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const { rows } = await sql<{ cleared: number }>`
    with cleared as (
      update alert set cleared_at = now() where id = any(${ids}) and cleared_at is null returning id
    ), queued as (
      insert into outbox (channel, kind, alert_id, target_id)
      select target.kind, 'cleared', cleared.id, target.id from cleared
      join outbox beginning on beginning.alert_id = cleared.id and beginning.kind = 'raised'
      join alert_target target on target.id = beginning.target_id and target.enabled
    )
    select count(*) as cleared from cleared`.execute(db);
  return rows[0]?.cleared ?? 0;
}

/** Removes alerts that ended more than a year ago, with their messages. */
export async function removeOldAlerts(db: Db): Promise<void> {
  await db.deleteFrom('alert').where('clearedAt', '<', sql<number>`now() - interval '1 year'`).execute();
}

/**
 * Whether at least one gateway is able to store messages now; since when without interruption (epoch ms; meaningless unless
 * one is); and when one was last able (epoch ms; -Infinity before the first gateway).
 */
export async function readIngestLife(db: Db) {
  const isStoring = sql<boolean>`storing_at >= now() - make_interval(secs => ${ingestPatience})`;
  const { alive, since, seenAt } = await db
    .selectFrom('gateway')
    .select(({ fn }) => [
      sql<boolean>`coalesce(bool_or(${isStoring}), false)`.as('alive'),
      fn.min('storingSince').filterWhere(isStoring).as('since'),
      fn.max('storingAt').as('seenAt'),
    ])
    .executeTakeFirstOrThrow();
  const never = Number.NEGATIVE_INFINITY;
  return { alive, since: since ?? never, seenAt: seenAt ?? never };
}
