-- What stores sold, and what people saw at doors.

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

-- What a person saw at a door, and how accurately the unit counted. key is an id that the caller has made, so that a repeated
-- request is recognised. store_id is the store of the device then. passages is a list of [epoch ms, 1 or -1] in order of time,
-- from first_at to last_at. The result is computed once when the unit has delivered everything up to last_at; if the crossings
-- were removed before, there is nothing to compare with. lag is in ms; entries and exits are the domain's DirectionAccuracy.
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
  state text not null default 'pending' check (state in ('pending', 'computed', 'removed')),
  lag integer,
  entries json,
  exits json,
  unique (device_id, key),
  check (num_nulls(lag, entries, exits) = case state when 'computed' then 0 else 3 end)
);
create index accuracy_audit_of_store on accuracy_audit (store_id, id);
create index accuracy_audit_by_time on accuracy_audit (device_id, last_at);
create index accuracy_audit_pending on accuracy_audit (id) where state = 'pending';

create trigger append_only
  before delete or truncate or update of device_id, store_id, key, first_at, last_at, passages, entered_by, note, entered_at
  on accuracy_audit for each statement execute function refuse_change();
