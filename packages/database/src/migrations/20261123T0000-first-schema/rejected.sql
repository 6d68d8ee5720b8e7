-- Messages of known devices that cannot be stored, and what the limits of a device are compared with.

-- A message, or part of one, that an operator can retry or discard. digest is the SHA-256 over topic, reason and
-- payload, so that a message that is delivered again is stored once.
create table rejected_message (
  id bigint generated always as identity primary key,
  device_id integer not null references device,
  received_at timestamptz not null default now(),
  topic text not null,
  reason text not null,
  payload bytea not null,
  digest bytea not null,
  unique (device_id, digest)
);
create index rejected_message_over_limit on rejected_message (device_id, received_at) where reason like 'limit:%';
create index rejected_message_conflicts on rejected_message (device_id) where starts_with(reason, 'conflict');

-- A device and a day of UTC (days since 1970): how many stored crossings have instants on it (crossed), and how many
-- were newly stored on it (arrived). Gateways add to both from time to time.
create table device_day (
  device_id integer not null references device,
  day integer not null,
  crossed bigint not null default 0,
  arrived bigint not null default 0,
  primary key (device_id, day)
);
