import { type Kysely, sql } from 'kysely';

/** Companies and what they own, devices and their journals, crossings, rejected messages, credentials. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  /* One row: tells this database from every other, also from a later one at the same address. */
  `create table installation (
     singleton boolean primary key default true check (singleton),
     id uuid not null default gen_random_uuid(),
     created_at timestamptz not null default now()
   )`,
  `insert into installation default values`,

  /* name_key: the name as names are compared (trimmed, NFC, without case); made by the domain's nameKey. */
  `create table company (
     id integer generated always as identity primary key,
     name text not null,
     name_key text not null unique,
     created_at timestamptz not null default now()
   )`,
  `create table store (
     id integer generated always as identity primary key,
     company_id integer not null references company,
     sid text not null,
     name text not null,
     address text not null default '',
     city text not null default '',
     time_zone text not null,
     day_starts_at text not null default '00:00' check (day_starts_at ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
     created_at timestamptz not null default now(),
     unique (company_id, sid)
   )`,
  `create table shop_group (
     id integer generated always as identity primary key,
     company_id integer not null references company,
     name text not null,
     name_key text not null,
     unique (company_id, name_key)
   )`,
  `create table shop_group_store (
     shop_group_id integer not null references shop_group on delete cascade,
     store_id integer not null references store,
     primary key (shop_group_id, store_id)
   )`,

  /* secret_hash: SHA-256 of the secret. serial is the MQTT client id, so it is unique over all companies. */
  `create table device (
     id integer generated always as identity primary key,
     company_id integer not null references company,
     serial text not null unique,
     serial_key text not null unique,
     name text not null,
     secret_hash bytea not null check (length(secret_hash) = 32),
     registered_at timestamptz not null default now(),
     retired_at timestamptz
   )`,
  /* The store a device belongs to from \`since\` on; the first assignment reaches back without bound. */
  `create table device_assignment (
     device_id integer not null references device,
     since timestamptz not null,
     store_id integer not null references store,
     primary key (device_id, since)
   )`,
  `create index device_assignment_store on device_assignment (store_id)`,
  /* What changes with every message, kept apart from what an operator configures. */
  `create table device_state (
     device_id integer primary key references device,
     last_activity_at timestamptz,
     connection_generation bigint not null default 0,
     online boolean not null default false,
     online_changed_at timestamptz,
     heartbeat_at timestamptz,
     heartbeat json
   )`,
  `create table journal (
     id integer generated always as identity primary key,
     device_id integer not null references device,
     name text not null,
     unique (device_id, name)
   )`,

  /* The primary key is what makes a crossing count once. store_id is the store of the device at \`at\`. */
  `create table crossing (
     journal_id integer not null,
     device_id integer not null,
     sequence bigint not null,
     at timestamptz not null,
     store_id integer not null,
     uncertainty_ms bigint,
     direction smallint not null check (direction in (1, -1)),
     primary key (journal_id, sequence)
   )`,
  `create index crossing_in_store_order on crossing (store_id, at, device_id, journal_id, sequence)`,

  /* digest: SHA-256 over topic, reason and payload, so that a message delivered again is kept once. */
  `create table rejected_message (
     id bigint generated always as identity primary key,
     device_id integer not null references device,
     received_at timestamptz not null default now(),
     topic text not null,
     reason text not null,
     payload bytea not null,
     digest bytea not null,
     unique (device_id, digest)
   )`,

  /* hash: SHA-256 of the credential, which itself is shown once and kept nowhere. */
  `create table credential (
     id integer generated always as identity primary key,
     company_id integer not null references company,
     kind text not null check (kind in ('counts', 'life-signal', 'staff')),
     label text not null,
     hash bytea not null unique check (length(hash) = 32),
     created_at timestamptz not null default now(),
     expires_at timestamptz,
     revoked_at timestamptz,
     last_used_at timestamptz,
     unique (company_id, kind, label)
   )`,
];
