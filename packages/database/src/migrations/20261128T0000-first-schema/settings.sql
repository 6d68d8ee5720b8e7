-- What companies declare about their stores, and what people enter: staff who came in, what was sold, and what they saw at
-- doors.

-- When a store is open, as the domain's OpeningHours. A store without a row is always open.
create table opening_hours (
  store_id integer primary key references store,
  hours json not null check (octet_length(hours::text) <= 1000000)
);

-- Staff who are declared for the business days of a store from the date `since` on, until the next plan: the week of the
-- domain's StaffPlan.
create table staff_plan (
  store_id integer not null references store,
  since date not null,
  week json not null check (octet_length(week::text) <= 20000),
  primary key (store_id, since)
);

-- Staff who came in, as they tapped on the page; the columns are those of correction.
create table staff_passage (
  id bigint generated always as identity primary key,
  store_id integer not null references store,
  at timestamptz not null,
  people integer check (people > 0),
  undoes bigint unique references staff_passage,
  entered_by text not null,
  note text not null default '',
  credential_id integer references credential,
  key text check (length(key) <= 100),
  entered_at timestamptz not null default now(),
  unique (credential_id, key),
  check ((people is null) = (undoes is not null))
);
create index staff_passage_of_store on staff_passage (store_id, at, id);
create trigger append_only before update or delete or truncate on staff_passage
  for each statement execute function refuse_change();

-- The staff passages that were not undone.
create view staff_passage_in_force as
select id, store_id, at, people from staff_passage
where people is not null and not exists (select from staff_passage undo where undo.undoes = staff_passage.id);

-- One entry of a till: a single receipt, or the sums of an hour or a day. id is the till's own; the same id of the same
-- store replaces the entry. amount is in the currency of the store; it is negative where more was given back than paid.
create table sale (
  store_id integer not null references store,
  id text collate "C" not null check (length(id) between 1 and 200),
  at timestamptz not null,
  transactions integer not null check (transactions >= 0),
  amount numeric(14, 2) not null,
  credential_id integer references credential,
  primary key (store_id, id)
);
create index sale_by_time on sale (store_id, at);

-- What a person saw at a door. key is an id that the caller has made, so that a repeated request is recognised. store_id is
-- the store of the device then. passages is a list of [epoch ms, 1 or -1] in order of time, from first_at to last_at.
create table accuracy_audit (
  id bigint generated always as identity primary key,
  device_id integer not null references device,
  store_id integer not null references store,
  key text not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  passages json not null,
  entered_by text not null,
  note text not null default '',
  credential_id integer references credential,
  entered_at timestamptz not null default now(),
  unique (device_id, key)
);
create index accuracy_audit_of_store on accuracy_audit (store_id, id);
create index accuracy_audit_by_time on accuracy_audit (device_id, last_at);

-- The result of an audit, computed once when the unit has delivered everything up to last_at: crossings can be removed
-- later. If they were removed before that, there is nothing to compare with: then lag, entries and exits are null. lag is in
-- ms. entries and exits are {observed, counted, missed, extra, error, interval}.
create table accuracy_result (
  audit_id bigint primary key references accuracy_audit,
  lag integer,
  entries json,
  exits json,
  check (num_nulls(lag, entries, exits) in (0, 3))
);

create trigger append_only before update or delete or truncate on accuracy_audit
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on accuracy_result
  for each statement execute function refuse_change();
