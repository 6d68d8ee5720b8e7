-- The log: crossings in the journals of their units, one change record for each transaction that stores some, the
-- crossings that operators voided, and what could not be stored.

-- A journal of a device. name is the random id that the unit has given it.
--
-- accounted: its sequences that are rejected, declared lost, or found to be stored; normally one range that begins with 1.
-- Stored sequences are added when a heartbeat says that they were acknowledged, not when they are stored. missing: those that
-- were acknowledged and are not accounted for, for example after a restore; missing_since: since when there are some. lost:
-- those that the unit cannot deliver any more; a late delivery does not change that. lost_at: when the latest were found.
-- lost_lately: how many were found from then on back, without a day between them.
create table journal (
  id integer generated always as identity primary key,
  device_id integer not null references device,
  name text not null,
  created_at timestamptz not null default now(),
  accounted int8multirange not null default '{}',
  missing int8multirange not null default '{}',
  missing_since timestamptz,
  lost int8multirange not null default '{}',
  lost_at timestamptz,
  lost_lately bigint not null default 0,
  unique (device_id, name)
) with (fillfactor = 50);
create index journal_with_missing on journal (device_id) where missing_since is not null;
create index journal_with_lost on journal (device_id) where lost_at is not null;

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

-- What a transaction has changed and the projector has not applied yet: a list of [store, quarter, [sum, floor, peak_sum,
-- peak_floor], first, last, {device: [entries, exits], ...}] for crossings that were added, and of [store, quarter] for
-- quarter hours to read again.
create table change (
  id bigint generated always as identity primary key,
  written_at timestamptz not null default clock_timestamp(),
  changes json not null
);

-- Stores crossings and their change record. Returns false, and stores nothing, if one of the keys is already stored or was
-- removed (journal_removed), or if the assignments of devices no longer have the version `known_version`. It is volatile,
-- so each statement in it sees what was committed before the statement began; while this transaction shares the lock, no
-- device moves. Removed keys are looked up after the insert: if the insert found a key free because its row was removed, that
-- removal has committed, and the look-up sees it. Instants are epoch ms.
create function store_crossings(
  journal_ids integer[], device_ids integer[], sequences bigint[], instants double precision[],
  store_ids integer[], uncertainties bigint[], directions smallint[],
  changes json, assignment_lock bigint, known_version bigint
) returns boolean language plpgsql volatile as $$
declare
  transaction_number bigint;
begin
  perform pg_advisory_xact_lock_shared(assignment_lock);
  transaction_number := current_transaction();
  if known_version is distinct from (select version from assignment_version) then return false; end if;

  insert into crossing (journal_id, device_id, sequence, at, store_id, uncertainty_ms, direction, transaction)
  select journal_id, device_id, sequence, to_timestamp(ms / 1000), store_id, uncertainty, direction,
    transaction_number
  from (
    select unnest(journal_ids) as journal_id, unnest(device_ids) as device_id, unnest(sequences) as sequence,
      unnest(instants) as ms, unnest(store_ids) as store_id, unnest(uncertainties) as uncertainty,
      unnest(directions) as direction
  ) sent;
  if exists (
    select from (
      select journal_id, min(sequence) as first
      from (select unnest(journal_ids) as journal_id, unnest(sequences) as sequence) sent group by journal_id
    ) sent
    join journal_removed removed on removed.journal_id = sent.journal_id and removed.last >= sent.first
  ) then raise unique_violation; end if;
  insert into change (changes) values (changes);
  return true;
exception when unique_violation then
  return false;
end $$;

-- Voided crossings stay in their table, so that they are recognised when their unit sends them again; see
-- crossing.store_id. counts is what was removed, by store and business day as they were then:
-- [{"store": sid, "day": date, "in": n, "out": n}, ...].
create table crossing_void (
  id integer generated by default as identity primary key check (id > 0),
  device_id integer not null references device,
  from_at timestamptz not null,
  until_at timestamptz not null,
  reason text not null,
  entered_by text not null,
  entered_at timestamptz not null default now(),
  crossings integer not null,
  counts json not null
);

create table crossing_void_restored (
  void_id integer primary key references crossing_void,
  entered_by text not null,
  entered_at timestamptz not null default now(),
  crossings integer not null
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
create trigger append_only before update or delete or truncate on crossing_void
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on crossing_void_restored
  for each statement execute function refuse_change();

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
