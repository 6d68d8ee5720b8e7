-- What stores have sold, as their tills report it.

-- One entry of a till: a single receipt, or the sums of an hour or a day. id is the till's own; the same id of the same
-- store replaces the entry. amount is in the currency of the store; it is negative where more was given back than paid.
create table sale (
  store_id integer not null references store,
  id text collate "C" not null check (length(id) between 1 and 200),
  at timestamptz not null,
  transactions integer not null check (transactions >= 0),
  amount numeric(14, 2) not null,
  credential_id integer references credential,
  received_at timestamptz not null default now(),
  primary key (store_id, id)
);
create index sale_by_time on sale (store_id, at);
