-- Crossings that were removed because their company keeps crossings for a limited time only (company.retention_months).

-- One row for each day to which the beginning of a company's crossings has moved. The latest row is in force: readers
-- and writers treat every crossing before removed_before as removed, whether its row is still there or not.
--
-- horizon is the transaction number up to which everything was readable when the pass began. The pass removes crossings
-- of transactions below removes_below, which is the horizon of the pass before it: a crossing that arrived late can be
-- read in commit order for a day or two before it is removed. removed_to is how far the pass has come. The last_ columns
-- are the removed crossing that is the latest in commit order, so that a reader that has not read it is recognised.
create table retention_pass (
  company_id integer not null references company,
  removed_before timestamptz not null,
  horizon bigint not null,
  removes_below bigint not null,
  removed bigint not null default 0,
  removed_to timestamptz,
  last_transaction bigint not null default 0,
  last_journal integer not null default 0,
  last_sequence bigint not null default 0,
  begun_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (company_id, removed_before)
);
create index retention_pass_open on retention_pass (company_id) where finished_at is null;

-- Removed sequences of each journal: they were counted, and are recognised when a unit sends them again. The ranges of a
-- journal do not overlap, and neighbouring ones are one row.
create table journal_removed (
  journal_id integer not null references journal on delete cascade,
  first bigint not null check (first > 0),
  last bigint not null check (last >= first),
  primary key (journal_id, last)
);

-- Sequences that are accounted for without a stored crossing.
create view journal_accounted as
select journal_id, first, last from journal_uncounted
union all
select journal_id, first, last from journal_removed;

-- Up to where the projection of a company's stores is final: it is no longer derived from crossings, only what arrives
-- late is added to it. Crossings are removed only before this instant. Only the projector writes it.
create table projection_seal (
  company_id integer primary key references company,
  before timestamptz not null
);

-- Parts of final quarter hours that begin at starts_at and end with the quarter hour or where the next part begins: for
-- quarter hours with corrections, which divide them, and for stores whose business days begin within a quarter hour. They
-- are of crossings only, without the corrections. devices is a list of [device, entries, exits].
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
