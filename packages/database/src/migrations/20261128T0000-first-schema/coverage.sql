-- Which sequences of each journal are accounted for: stored, removed, or known not to be counted. Sequences that a unit has
-- had acknowledged and that are not accounted for are missing, for example after a backup was restored.

-- How far a journal is accounted for: up to `checked` every sequence is accounted for or in journal_missing. It can be
-- derived again from what is stored; a row that is out of date is updated when it is next needed. It is separate from
-- `journal`, with free space in its pages, because it is written very often.
create table journal_progress (
  journal_id integer primary key references journal on delete cascade,
  checked bigint not null
) with (fillfactor = 50);

-- Sequences that are accounted for without a stored crossing. A rejected one stays here when it is discarded.
create table journal_uncounted (
  journal_id integer not null references journal on delete cascade,
  first bigint not null check (first > 0),
  last bigint not null check (last >= first),
  reason text not null check (reason in ('rejected', 'lost')),
  since timestamptz not null default now(),
  primary key (journal_id, first, last)
);
create index journal_uncounted_lost on journal_uncounted (journal_id) where reason = 'lost';

-- Missing sequences. The ranges of a journal do not overlap.
create table journal_missing (
  journal_id integer not null references journal on delete cascade,
  device_id integer not null references device on delete cascade,
  first bigint not null check (first > 0),
  last bigint not null check (last >= first),
  since timestamptz not null default now(),
  primary key (journal_id, first)
);
create index journal_missing_by_device on journal_missing (device_id);

-- The latest automatic request for missing crossings of a device, and when the next one is due.
create table device_recovery (
  device_id integer primary key references device on delete cascade,
  command_id bigint,
  missing bigint not null,
  attempts integer not null default 0,
  next_at timestamptz not null default now()
);

-- Journals that two units write, or one whose card was replaced by an older copy; suspected until confirmed.
-- suspected_by is the unit's own time of the heartbeat that raised the suspicion (epoch ms). conflicts_from is the
-- earliest instant of a conflicting crossing. command_id is the latest command to begin a new journal.
create table cloned_journal (
  journal_id integer primary key references journal on delete cascade,
  device_id integer not null references device on delete cascade,
  suspected_at timestamptz not null default now(),
  suspected_by double precision,
  confirmed_at timestamptz,
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
