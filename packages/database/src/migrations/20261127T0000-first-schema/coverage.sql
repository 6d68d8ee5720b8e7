-- Which sequences of each journal are accounted for: stored, or known not to be counted. Sequences that a unit has had
-- acknowledged and that are not accounted for are missing, for example after a backup was restored.

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
