-- The log: crossings in the journals of their units, and one change record for each transaction that stores some.

-- One row. A sequence would lose the numbers of statements that fail or are rolled back. This row loses none: a
-- transaction that takes a number locks it until it ends.
create table journal_counter (
  singleton boolean primary key default true check (singleton),
  last_id integer not null
);
insert into journal_counter (last_id) values (0);

create function next_journal_id() returns integer language sql volatile as $$
  update journal_counter set last_id = last_id + 1 returning last_id
$$;

-- A journal of a device. name is the random id that the unit has given it.
create table journal (
  id integer primary key default next_journal_id(),
  device_id integer not null references device,
  name text not null,
  created_at timestamptz not null default now(),
  unique (device_id, name)
);

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
-- peak_floor], first, last, [[device, entries, exits], ...]] for crossings that were added, and of [store, quarter] for
-- quarter hours to read again.
create table change (
  id bigint generated always as identity primary key,
  written_at timestamptz not null default clock_timestamp(),
  changes json not null
);

-- Stores crossings and their change record. Returns false, and stores nothing, if one of the keys is already stored or was
-- removed (journal_removed), or if the assignments of devices no longer have the version `known_version`. It is volatile,
-- so each statement in it sees what was committed before the statement began; while this transaction shares the lock, no
-- device moves. Removed keys are looked up after the rows were inserted: a key that was free then was removed before.
-- Instants are epoch ms.
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
