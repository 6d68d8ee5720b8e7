-- What companies declare about their stores, and what staff tap on the page.

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
