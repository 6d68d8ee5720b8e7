-- Audits of doors: what a person saw there, compared with what the unit counted.

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
  computed_at timestamptz not null default now(),
  check (num_nulls(lag, entries, exits) in (0, 3))
);

create trigger append_only before update or delete or truncate on accuracy_audit
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on accuracy_result
  for each statement execute function refuse_change();
