-- The projection, that is occupancy, and the corrections from which it is derived together with the crossings.

-- What the crossings and corrections of a store in one quarter hour do to its occupancy: x -> greatest(floor, x + sum).
-- The highest occupancy in it, the one before included, is x -> greatest(peak_floor, x + peak_sum). A sum of null is
-- -infinity: a correction makes the occupancy independent of what it was before. quarter is counted from 1970 in UTC.
-- latest_at is the latest instant of a crossing or correction. base is what the quarter contains before some instant,
-- for the projector alone: see run-round.ts. The rows of the present quarter are updated several times a second, so the
-- pages have free space.
create table occupancy_quarter (
  store_id integer not null,
  quarter integer not null,
  sum integer,
  floor integer not null,
  peak_sum integer not null,
  peak_floor integer not null,
  latest_at timestamptz,
  base json,
  primary key (store_id, quarter)
) with (fillfactor = 50);

-- What each device has counted in a store in one quarter hour.
create table device_quarter (
  store_id integer not null,
  quarter integer not null,
  device_id integer not null,
  entries integer not null,
  exits integer not null,
  primary key (store_id, quarter, device_id)
) with (fillfactor = 50);

-- The quarter hours of a store from first_quarter to the one before next_quarter as one row, which always equals them. A
-- business day with crossings has such a row, so that readers of days need not read all quarters; that of the present day
-- does not contain the last ones yet. A business day that begins within a quarter has no row. Rows of a calendar that the
-- store no longer has remain until one of their quarters changes. entries and exits are those of all devices.
create table store_day (
  store_id integer not null,
  first_quarter integer not null,
  next_quarter integer not null,
  entries integer not null,
  exits integer not null,
  sum integer,
  floor integer not null,
  peak_sum integer not null,
  peak_floor integer not null,
  latest_at timestamptz,
  primary key (store_id, first_quarter),
  check (next_quarter > first_quarter and next_quarter < first_quarter + 128)
);

-- Up to where the projection of a company's stores is final: it is no longer derived from crossings, only what arrives
-- late is added to it. Crossings are removed only before this instant. Only the projector writes it.
create table projection_seal (
  company_id integer primary key references company,
  before timestamptz not null
);

-- Parts of final quarter hours that begin at starts_at and end with the quarter hour or where the next part begins: for
-- quarter hours with corrections, which divide them, and for stores whose business days begin within a quarter hour. They
-- are of crossings only, without the corrections. devices is {device: [entries, exits], ...}.
create table occupancy_part (
  store_id integer not null,
  starts_at timestamptz not null,
  sum integer not null,
  floor integer not null,
  peak_sum integer not null,
  peak_floor integer not null,
  devices json not null,
  primary key (store_id, starts_at)
);

-- What the projection contained at some instants, about ten seconds apart, for `admin trace`. At `at` it contained all
-- transactions with a number below applied_before; those from begun_before on had not begun to write. Old rows are deleted.
create table projection_progress (
  at timestamptz primary key default clock_timestamp(),
  applied_before bigint not null,
  begun_before bigint not null
);
create index projection_progress_by_applied on projection_progress (applied_before);
create index projection_progress_by_begun on projection_progress (begun_before);

-- What staff entered. Rows are only inserted. An entry is either a number of people inside at an instant, or it undoes
-- an earlier entry; an entry can be undone once. key is what the client calls the entry, so that the same request again
-- has no effect.
create table correction (
  id bigint generated always as identity primary key,
  store_id integer not null references store,
  at timestamptz not null,
  people integer check (people >= 0),
  undoes bigint unique references correction,
  entered_by text not null,
  note text not null default '',
  credential_id integer references credential,
  key text check (length(key) <= 100),
  entered_at timestamptz not null default now(),
  unique (credential_id, key),
  check ((people is null) = (undoes is not null))
);
create index correction_of_store on correction (store_id, at, id);
create trigger append_only before update or delete or truncate on correction
  for each statement execute function refuse_change();

-- The corrections that were not undone.
create view correction_in_force as
select id, store_id, at, people from correction
where people is not null and not exists (select from correction undo where undo.undoes = correction.id);

-- Whether a store counts in the wrong direction: score is what the business days before day_start have shown.
create table store_direction (
  store_id integer primary key references store,
  day_start timestamptz not null,
  score integer not null
);

-- Devices that are suspected of counting in the wrong direction.
create table doubtful_direction (
  device_id integer primary key references device,
  since timestamptz not null
);
