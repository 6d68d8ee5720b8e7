-- Devices, the stores they belong to, and whether they are connected.

-- A device: one door. serial is the MQTT client id and therefore unique over all companies; serial_key is the serial as
-- serials are compared. secret_hash is the SHA-256 of the secret. A device whose secret was revoked cannot log in until
-- it gets another one.
create table device (
  id integer generated always as identity primary key,
  company_id integer not null references company,
  serial text not null unique,
  serial_key text not null unique,
  name text not null,
  secret_hash bytea not null check (length(secret_hash) = 32),
  secret_revoked_at timestamptz,
  registered_at timestamptz not null default now(),
  retired_at timestamptz
);

-- The store that a device belongs to from `since` on. The `since` of the first assignment is -infinity.
create table device_assignment (
  device_id integer not null references device,
  since timestamptz not null,
  store_id integer not null references store,
  primary key (device_id, since)
);
create index device_assignment_store on device_assignment (store_id);

-- One row. Gateways cache the assignments of devices as long as the version is the same.
create table assignment_version (
  singleton boolean primary key default true check (singleton),
  version bigint not null default 0
);
insert into assignment_version default values;

-- Changes the version in every transaction that changes assignments.
create function count_assignment_version() returns trigger language plpgsql as $$
begin
  update assignment_version set version = version + 1;
  return null;
end $$;
create trigger count_assignment_version after insert or update or delete or truncate on device_assignment
  for each statement execute function count_assignment_version();

-- One row for each gateway process, written every few seconds and deleted by later processes. What a gateway reports
-- about connections is valid until believed_until: a gateway that has died cannot correct it.
create table gateway (
  id uuid primary key,
  seen_at timestamptz not null,
  believed_until timestamptz not null
);

-- What a device has last sent, and its newest connection. It changes with every message, so it is separate from what
-- operators configure. online is what the gateway of the newest connection last reported; device_connection says
-- whether that is still valid. gateway_id is that gateway, null if the connection is with an external broker. It is not
-- a reference, because the row of a gateway may be deleted and inserted again.
create table device_state (
  device_id integer primary key references device,
  last_activity_at timestamptz,
  heartbeat_at timestamptz,
  heartbeat json,
  connection_generation bigint not null default 0,
  gateway_id uuid,
  online boolean not null default false,
  online_changed_at timestamptz
);

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
