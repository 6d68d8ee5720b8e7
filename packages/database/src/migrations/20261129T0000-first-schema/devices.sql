-- Devices, the stores they belong to, whether they are connected, what operators order their units to do, and how units
-- enrol.

-- A device: one door. serial is the MQTT client id and therefore unique over all companies; serial_key is the serial as
-- serials are compared. secret_hash is the SHA-256 of the secret. A device whose secret was revoked cannot log in until
-- it gets another one. settings are those that an operator has set remotely, if any; every change has another
-- settings_revision, a random number.
-- target_version is the version of the agent that its unit should have; null: it stays as it is.
-- What the server has found about it is here and not in device_state, whose rows gateways lock with every message: since
-- when it is suspected of counting in the wrong direction, and what its last heartbeats report without interruption
-- (`beam 1` or `beam 2` blocked, `storage`, an old `version`), with the arrival (epoch ms) of the first one.
create table device (
  id integer generated always as identity primary key,
  company_id integer not null references company,
  serial text not null unique,
  serial_key text not null unique,
  name text not null,
  secret_hash bytea not null check (length(secret_hash) = 32),
  secret_revoked_at timestamptz,
  registered_at timestamptz not null default now(),
  retired_at timestamptz,
  settings jsonb check (jsonb_typeof(settings) = 'object'),
  settings_revision bigint check (settings_revision > 0),
  settings_set_at timestamptz,
  target_version text check (target_version ~ '^\d{1,5}\.\d{1,5}\.\d{1,5}$'),
  direction_doubtful_since timestamptz,
  troubles jsonb not null default '{}',
  check (num_nulls(settings, settings_revision, settings_set_at) in (0, 3))
);

-- The store that a device belongs to from `since` on. The `since` of the first assignment is -infinity.
create table device_assignment (
  device_id integer not null references device on delete cascade,
  since timestamptz not null,
  store_id integer not null references store,
  primary key (device_id, since)
);
create index device_assignment_store on device_assignment (store_id);

-- The store that a device belongs to at an instant.
create function store_at(device integer, instant timestamptz) returns table (store_id integer)
language sql stable rows 1 as $$
  select assigned.store_id from device_assignment assigned
  where assigned.device_id = device and assigned.since <= instant order by assigned.since desc limit 1
$$;

-- One row for each gateway process, written every few seconds. What a gateway reports about connections is valid until
-- believed_until: a gateway that has died cannot correct it. storing_at is when it last was able to store what units send, and
-- storing_since from when on some gateway was able to without interruption until then.
create table gateway (
  id uuid primary key,
  seen_at timestamptz not null,
  believed_until timestamptz not null,
  storing_since timestamptz,
  storing_at timestamptz
);

-- What a device has last sent, and its newest connection. It changes with every message, so it is separate from what
-- operators configure. gateway_id is the gateway of the newest connection; only that one changes online, and device_connection
-- says whether what it has reported is still valid. rate_exceeded_at is when a gateway last found that it sends more than its
-- rate allows, and rate_exceeded_since when that began.
create table device_state (
  device_id integer primary key references device on delete cascade,
  last_activity_at timestamptz,
  heartbeat_at timestamptz,
  heartbeat jsonb,
  gateway_id uuid,
  online boolean not null default false,
  online_changed_at timestamptz,
  rate_exceeded_at timestamptz,
  rate_exceeded_since timestamptz
);

-- A field of a heartbeat that is a whole number of 0 or more; null for any other value.
create function heartbeat_integer(heartbeat jsonb, name text) returns bigint language sql immutable as $$
  select case when (heartbeat->name)::text ~ '^[0-9]{1,16}$' then (heartbeat->name)::text::bigint end
$$;

-- Whether a device is connected, and since when. A device whose gateway is no longer valid is offline since that
-- gateway was last seen. A lease that ends later than any does is of a clock that was set back since then.
create view device_connection as
select state.device_id, state.online and not is_expired as online,
  case when state.online and is_expired then least(greatest(gateway.seen_at, state.online_changed_at), now())
    else state.online_changed_at end as online_changed_at
from device_state state
left join gateway on gateway.id = state.gateway_id
cross join lateral (
  select state.gateway_id is not null
    and coalesce(gateway.believed_until not between now() and now() + interval '1 minute', true) as is_expired
) holder;

-- A command to a device. id is random, so that no id is used again after a restore. state and problem
-- are what the unit has reported. finished_at is when a gateway stored that the command is done or failed. report is the
-- answer to `diagnose`, and reported_at its arrival.
create table device_command (
  id bigint primary key,
  device_id integer not null references device on delete cascade,
  command jsonb not null check (jsonb_typeof(command) = 'object'),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  state text not null default 'pending' check (state in ('pending', 'running', 'done', 'failed')),
  problem text,
  finished_at timestamptz,
  report json,
  reported_at timestamptz,
  constraint device_command_finished check ((state in ('done', 'failed')) = (finished_at is not null))
);
create index device_command_by_device on device_command (device_id, created_at);
create index device_command_unfinished on device_command (device_id) where finished_at is null;

-- hash is the SHA-256 of the code, which is shown once and stored nowhere. A code is either for new devices of a store,
-- or for another unit that replaces the one of a device.
create table enrolment_code (
  id integer generated always as identity primary key,
  company_id integer not null references company on delete cascade,
  store_id integer references store on delete cascade,
  replaces_device_id integer references device on delete cascade,
  hash bytea not null unique check (length(hash) = 32),
  uses integer not null check (uses > 0),
  used integer not null default 0 check (used <= uses),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  check ((store_id is null) <> (replaces_device_id is null))
);
