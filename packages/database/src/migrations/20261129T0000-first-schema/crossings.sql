-- The log: crossings in the journals of their units, marks for the projector, the crossings that operators voided, and what
-- could not be stored.

-- A journal of a device. name is the random id that the unit has given it.
--
-- accounted: its sequences that are rejected, declared lost, or found to be stored; normally one range that begins with 1.
-- recorded: the last sequence that a heartbeat has reported; once the unit writes another journal, all up to it must be
-- accounted for.
-- Stored sequences are added when a heartbeat says that they were acknowledged, not when they are stored. missing: those that
-- were acknowledged and are not accounted for, for example after a restore; missing_since: since when there are some. lost:
-- those that the unit cannot deliver any more; a late delivery does not change that. lost_at: when the latest were found.
-- lost_lately: how many were found from then on back, without a day between them.
--
-- Two units write a journal, or one whose card was replaced by an older copy, if crossings of it conflict with stored ones:
-- conflict_since and conflict_at are when the first and the latest one arrived, conflicts_from is the earliest instant of one.
-- ordered_at is when the latest command to begin a new journal was sent.
create table journal (
  id integer generated always as identity primary key,
  device_id integer not null references device,
  name text not null,
  created_at timestamptz not null default now(),
  recorded bigint,
  accounted int8multirange not null default '{}',
  missing int8multirange not null default '{}',
  missing_since timestamptz,
  lost int8multirange not null default '{}',
  lost_at timestamptz,
  lost_lately bigint not null default 0,
  conflict_since timestamptz,
  conflict_at timestamptz,
  conflicts_from timestamptz,
  ordered_at timestamptz,
  unique (device_id, name)
) with (fillfactor = 50);
create index journal_with_missing on journal (device_id) where missing_since is not null;
create index journal_with_lost on journal (device_id) where lost_at is not null;
create index journal_with_conflicts on journal (device_id) where conflict_at is not null;

create function count_sequences(sequences int8multirange) returns bigint language sql immutable parallel safe as $$
  select coalesce(sum(upper(part) - lower(part)), 0)::bigint from unnest(sequences) part
$$;

-- A crossing. The primary key is what makes it count once. store_id is the store of the device at the instant `at`; of
-- a voided crossing it is the negative id of its void, which is no store's id. transaction is the transaction that has
-- last written the row, see current_transaction().
create table crossing (
  journal_id integer not null,
  device_id integer not null,
  sequence bigint not null,
  at timestamptz not null,
  store_id integer not null,
  uncertainty_ms bigint,
  direction smallint not null check (direction in (1, -1)),
  transaction bigint not null default current_transaction(),
  primary key (journal_id, sequence)
);
-- The order in which occupancy and exports read. With the direction in it, a range is read from the index alone.
create index crossing_in_store_order
  on crossing (store_id, at, device_id, journal_id, sequence) include (direction);
-- The order of commits.
create index crossing_in_commit_order on crossing (transaction);

-- A quarter hour of a store whose crossings or corrections have changed since the projector read them: see run-round.ts.
-- first is the earliest instant that has changed in it, null if any may have. A mark without a quarter is for the business
-- days of a store whose calendar has changed. Marks are only inserted and deleted, so writers never wait for each other. Two
-- partial indexes instead of a primary key: a new mark costs ingest one entry.
create table mark (
  id bigint generated always as identity,
  store_id integer not null,
  quarter integer,
  first timestamptz,
  written_at timestamptz not null default clock_timestamp()
);
create index mark_of_new on mark (id) where first is not null;
create index mark_of_whole on mark (id) where first is null;
create index mark_of_store on mark (store_id, id) where first is null;

-- A device that no longer belongs to the store store_id from `since` to before `until`, and whose crossings that are stored
-- there the projector has not moved yet, at first all of them. seen_at is when the projector first read it.
create table device_move (
  id bigint generated always as identity primary key,
  device_id integer not null references device,
  store_id integer not null,
  since timestamptz not null,
  until timestamptz not null,
  seen_at timestamptz
);

-- Voided crossings stay in their table, so that they are recognised when their unit sends them again; see
-- crossing.store_id. counts is what was removed, by store and business day as they were then:
-- [{"store": sid, "day": date, "in": n, "out": n}, ...]. restored_by and restored_at: who undid it, and when.
create table crossing_void (
  id integer generated by default as identity primary key check (id > 0),
  device_id integer not null references device,
  from_at timestamptz not null,
  until_at timestamptz not null,
  reason text not null,
  entered_by text not null,
  entered_at timestamptz not null default now(),
  crossings integer not null,
  counts json not null,
  restored_by text,
  restored_at timestamptz,
  check ((restored_by is null) = (restored_at is null))
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
create trigger append_only before update of id, device_id, from_at, until_at, reason, entered_by, entered_at, crossings, counts
  or delete or truncate on crossing_void
  for each statement execute function refuse_change();
create trigger restored_once before update on crossing_void
  for each row when (old.restored_at is not null) execute function refuse_change();

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
