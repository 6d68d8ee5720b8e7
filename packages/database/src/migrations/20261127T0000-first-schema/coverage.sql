-- Journals that two units write, or one whose card was replaced by an older copy: crossings of them conflict with stored
-- ones. conflicts_from is the earliest instant of a conflicting crossing, seen_at is when the latest one arrived. command_id is
-- the latest command to begin a new journal.
create table cloned_journal (
  journal_id integer primary key references journal on delete cascade,
  device_id integer not null references device on delete cascade,
  since timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  conflicts_from timestamptz,
  command_id bigint,
  ordered_at timestamptz
);
create index cloned_journal_by_device on cloned_journal (device_id);

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
