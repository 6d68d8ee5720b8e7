-- The projection, that is occupancy, and the corrections from which it is derived together with the crossings. All of its
-- tables can be derived again, except for times whose crossings are no longer kept. Their rows of the present are updated
-- several times a second, so the pages have free space.

-- What each device has counted in a store in one quarter hour, counted from 1970 in UTC; settled_ is the part of it before
-- settled_at of quarter_state.
create table quarter (
  store_id integer not null,
  quarter integer not null,
  device_id integer not null,
  entries integer not null,
  exits integer not null,
  settled_entries integer not null,
  settled_exits integer not null,
  primary key (store_id, quarter, device_id)
) with (fillfactor = 50);

-- What the crossings and corrections of a store in one quarter hour do to its occupancy: x -> greatest(floor, x + sum).
-- The highest occupancy in it, the one before included, is x -> greatest(peak_floor, x + peak_sum). A sum far below zero
-- is of a correction, after which the occupancy before has no effect; see fold.ts. latest_at is the latest instant of a
-- crossing or correction.
--
-- The settled_ columns are the same for what is before settled_at, some seconds before latest_at: what is added after it
-- is folded without reading the quarter hour from its beginning.
create table quarter_state (
  store_id integer not null,
  quarter integer not null,
  sum integer not null,
  floor integer not null,
  peak_sum integer not null,
  peak_floor integer not null,
  latest_at timestamptz not null,
  settled_at timestamptz not null,
  settled_sum integer not null,
  settled_floor integer not null,
  settled_peak_sum integer not null,
  settled_peak_floor integer not null,
  primary key (store_id, quarter)
) with (fillfactor = 50);

-- A business day of a store, derived from its quarter hours: entries and exits of all devices, the occupancy after the
-- last crossing or correction, the highest occupancy, and the instant of the last of them.
create table day (
  store_id integer not null,
  date date not null,
  entries integer not null,
  exits integer not null,
  occupancy integer not null,
  peak integer not null,
  latest_at timestamptz not null,
  primary key (store_id, date)
) with (fillfactor = 50);

-- Marks a store whose business days have become others.
create function mark_calendar() returns trigger language plpgsql as $$
begin
  insert into mark (store_id) values (new.id);
  return null;
end $$;
create trigger mark_calendar after update on store for each row
  when ((old.time_zone, old.day_starts_at) is distinct from (new.time_zone, new.day_starts_at))
  execute function mark_calendar();

-- What staff entered: how many people were inside at an instant (`correction`), or how many of the staff came in (`passage`).
-- Rows are only inserted. An entry has a number of people, or undoes an earlier entry; an entry can be undone once. key is
-- what the client calls the entry, so that the same request again has no effect.
create table entry (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('correction', 'passage')),
  store_id integer not null references store,
  at timestamptz not null,
  people integer check (people >= 0 and (people > 0 or kind = 'correction')),
  undoes bigint unique references entry,
  entered_by text not null,
  note text not null default '',
  credential_id integer references credential,
  key text check (length(key) <= 100),
  entered_at timestamptz not null default now(),
  unique (credential_id, kind, key),
  check ((people is null) = (undoes is not null))
);
create index entry_of_store on entry (store_id, kind, at, id);
create trigger append_only before update or delete or truncate on entry
  for each statement execute function refuse_change();

-- The corrections that were not undone.
create view correction_in_force as
select id, store_id, at, people from entry
where kind = 'correction' and people is not null and not exists (select from entry undo where undo.undoes = entry.id);

-- The staff who came in, without what was undone.
create view staff_passage_in_force as
select id, store_id, at, people from entry
where kind = 'passage' and people is not null and not exists (select from entry undo where undo.undoes = entry.id);
