-- Codes by which units enrol, and every attempt to enrol with one of them.

-- hash is the SHA-256 of the code, which is shown once and stored nowhere. A code is either for new devices of a store,
-- or for another unit that replaces the one of a device.
create table enrolment_code (
  id integer generated always as identity primary key,
  company_id integer not null references company,
  store_id integer references store,
  replaces_device_id integer references device,
  hash bytea not null unique check (length(hash) = 32),
  uses integer not null check (uses > 0),
  used integer not null default 0 check (used <= uses),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  check ((store_id is null) <> (replaces_device_id is null))
);

-- address is where the request came from. outcome is its result; a refusal is named by its reason.
create table enrolment_attempt (
  id bigint generated always as identity primary key,
  code_id integer not null references enrolment_code,
  at timestamptz not null,
  address text not null,
  serial text not null,
  outcome text not null,
  device_id integer references device
);
create index enrolment_attempt_of_code on enrolment_attempt (code_id, id);
