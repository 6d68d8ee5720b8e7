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
