import { type Kysely, sql } from 'kysely';

/** What companies want to be told of and where; what was told; how far stores may fill; since when anybody listens to units. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  /* How many people may be in the store at a time. */
  `alter table store add capacity integer check (capacity > 0)`,

  /* One row: since when, without a pause, some gateway could write what it heard of units, and when last. */
  `create table ingest_life (
     singleton boolean primary key default true check (singleton),
     since timestamptz not null default now(),
     seen_at timestamptz not null default now()
   )`,
  `insert into ingest_life values (true, '-infinity', '-infinity')`,

  `create table alert_rule (
     company_id integer not null references company,
     kind text not null,
     after_seconds integer not null check (after_seconds >= 0),
     enabled boolean not null default true,
     primary key (company_id, kind)
   )`,
  /* secret: signs what a webhook is sent, so it is kept as it is; null for mail. */
  `create table alert_target (
     id integer generated always as identity primary key,
     company_id integer not null references company,
     label text not null,
     kind text not null check (kind in ('webhook', 'mail')),
     address text not null,
     secret text check (kind <> 'webhook' or secret is not null),
     enabled boolean not null default true,
     unique (company_id, label)
   )`,

  /* began_at: the instant from which it was to be told. */
  `create table alert (
     id uuid primary key default gen_random_uuid(),
     company_id integer not null references company,
     kind text not null,
     subject text not null,
     store_id integer references store,
     device_id integer references device,
     about json not null,
     began_at timestamptz not null,
     raised_at timestamptz not null default now(),
     cleared_at timestamptz
   )`,
  /* What makes one incident one alert, however many look for it. */
  `create unique index alert_open on alert (company_id, kind, subject) where cleared_at is null`,
  `create index alert_by_time on alert (company_id, raised_at)`,

  `create table alert_delivery (
     id bigint generated always as identity primary key,
     alert_id uuid not null references alert,
     target_id integer not null references alert_target,
     phase text not null check (phase in ('raised', 'cleared')),
     created_at timestamptz not null default now(),
     attempts integer not null default 0,
     next_attempt_at timestamptz not null default now(),
     delivered_at timestamptz,
     given_up_at timestamptz,
     last_problem text,
     unique (alert_id, target_id, phase)
   )`,
  `create index alert_delivery_due on alert_delivery (next_attempt_at)
   where delivered_at is null and given_up_at is null`,
];
