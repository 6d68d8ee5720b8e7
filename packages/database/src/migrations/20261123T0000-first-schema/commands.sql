-- What operators order units to do. Units answer in their heartbeats.

-- The settings of a device. revision is a random number; every change has another one.
create table device_config (
  device_id integer primary key references device on delete cascade,
  revision bigint not null check (revision > 0),
  settings jsonb not null check (jsonb_typeof(settings) = 'object'),
  set_at timestamptz not null default now()
);

-- A command to a device. id is random, so that no id is used again after a restore. state and the columns after it are
-- what the unit has reported: for a resend how many crossings of how many are sent, and which ranges of sequences it no
-- longer has, [[first, last], ...]. finished_at is when a gateway stored that the command is done or failed.
create table device_command (
  id bigint primary key,
  device_id integer not null references device on delete cascade,
  command jsonb not null check (jsonb_typeof(command) = 'object'),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  state text not null default 'pending' check (state in ('pending', 'running', 'done', 'failed')),
  sent bigint,
  total bigint,
  problem text,
  missing jsonb,
  finished_at timestamptz,
  constraint device_command_finished check ((state in ('done', 'failed')) = (finished_at is not null))
);
create index device_command_by_device on device_command (device_id, created_at);
create index device_command_unfinished on device_command (device_id) where finished_at is null;

-- The latest diagnoses that units sent. command_id is the command that asked for it, as the unit reports it.
create table device_diagnosis (
  device_id integer not null references device,
  command_id bigint not null,
  received_at timestamptz not null default now(),
  report json not null,
  primary key (device_id, command_id)
);
