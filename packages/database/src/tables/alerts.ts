import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { AlertKind, RuleKind } from './alert-kind.ts';
import type { GeneratedInstant, Instant, NullableInstant } from './columns.ts';

export interface AlertTables {
  alert_rule: AlertRuleTable;
  alert_target: AlertTargetTable;
  alert: AlertTable;
  alert_delivery: AlertDeliveryTable;
  ingest_life: { singleton: Generated<boolean>; since: Instant; seen_at: Instant };
  blocked_beam: { device_id: number; position: number; since: Instant };
  failing_storage: { device_id: number; since: Instant };
  agent_version: { company_id: number; version: string; since: GeneratedInstant };
}

interface AlertRuleTable {
  company_id: number;
  kind: RuleKind;
  after_seconds: number;
  threshold: Generated<string | null>;
  enabled: Generated<boolean>;
}

interface AlertTargetTable {
  id: GeneratedAlways<number>;
  company_id: number;
  label: string;
  kind: 'webhook' | 'mail';
  address: string;
  /** Signs what a webhook receives; null for mail. */
  secret: string | null;
  enabled: Generated<boolean>;
}

interface AlertTable {
  id: Generated<string>;
  company_id: number;
  kind: AlertKind;
  subject: string;
  store_id: number | null;
  device_id: number | null;
  about: ColumnType<unknown, string, string>;
  began_at: Instant;
  raised_at: GeneratedInstant;
  cleared_at: NullableInstant;
}

interface AlertDeliveryTable {
  id: GeneratedAlways<string>;
  alert_id: string;
  target_id: number;
  phase: 'raised' | 'cleared';
  attempts: Generated<number>;
  next_attempt_at: GeneratedInstant;
  delivered_at: NullableInstant;
  given_up_at: NullableInstant;
  last_problem: string | null;
}
