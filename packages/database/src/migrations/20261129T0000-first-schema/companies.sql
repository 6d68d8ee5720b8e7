-- Companies, their stores and shop groups, and who may call the HTTP interface for them.

-- A company. name_key is the name as names are compared (trimmed, NFC, without case); the domain's nameKey makes it.
-- retention_months is how long its crossings are kept; null: for ever. Before deleted_before crossings have been deleted;
-- quarter hours there stay as they are, also if the company later keeps crossings for longer.
create table company (
  id integer generated always as identity primary key,
  name text not null,
  name_key text not null unique,
  retention_months integer check (retention_months between 1 and 1200),
  deleted_before timestamptz not null default '-infinity'
);

-- The first instant whose crossings a company with this retention accepts, a midnight of UTC: older ones are refused. If it
-- has a retention, corrections, voids and moves before that instant are refused too, and crossings are deleted when they are a
-- day older.
create function horizon(retention_months integer) returns timestamptz language sql stable as $$
  select (date_trunc('day', now() at time zone 'UTC')
    - coalesce(make_interval(months => retention_months), interval '400 days')) at time zone 'UTC'
$$;

-- The first instant whose crossings can be read and changed; -infinity if all can.
create function kept_from(owner company) returns timestamptz language sql stable as $$
  select greatest(owner.deleted_before,
    case when owner.retention_months is not null then horizon(owner.retention_months) end)
$$;

-- A store. sid is the company's own id for it. capacity is how many people may be inside at the same time; null: no
-- limit is known. Days begin with a quarter hour, as the offsets of time zones are multiples of it. opening_hours is the
-- domain's OpeningHours; null: always open. staff_plans are the domain's StaffPlans by `since`: each declares the staff of the
-- business days until the next one.
create table store (
  id integer generated always as identity primary key,
  company_id integer not null references company,
  sid text not null,
  name text not null,
  address text not null default '',
  city text not null default '',
  time_zone text not null,
  day_starts_at text not null default '00:00' check (day_starts_at ~ '^([01][0-9]|2[0-3]):(00|15|30|45)$'),
  capacity integer check (capacity > 0),
  opening_hours json check (octet_length(opening_hours::text) <= 1000000),
  staff_plans json check (octet_length(staff_plans::text) <= 1000000),
  unique (company_id, sid)
);

-- A named set of a company's stores. A store may be in several.
create table shop_group (
  id integer generated always as identity primary key,
  company_id integer not null references company,
  name text not null,
  name_key text not null,
  store_ids integer[] not null default '{}',
  unique (company_id, name_key)
);

-- hash is the SHA-256 of the credential, which is shown once and stored nowhere. It opens the stores of store_ids, or,
-- if that is null, all stores of its company. may_configure: its staff may change settings on the page.
create table credential (
  id integer generated always as identity primary key,
  company_id integer not null references company,
  kind text not null check (kind in ('counts', 'life-signal', 'staff', 'sales')),
  label text not null,
  hash bytea not null unique check (length(hash) = 32),
  store_ids integer[],
  may_configure boolean not null default false check (kind = 'staff' or not may_configure),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  unique (company_id, kind, label)
);

-- A session of a page. hash is the SHA-256 of the content of its cookie, which is stored nowhere.
create table session (
  hash bytea primary key check (length(hash) = 32),
  credential_id integer not null references credential on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index session_of_credential on session (credential_id, created_at);
