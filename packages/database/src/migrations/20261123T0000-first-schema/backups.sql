-- Backups that were complete and verified when they were recorded. A backup does not contain its own row.
create table backup (
  id bigint generated always as identity primary key,
  taken_at timestamptz not null default now(),
  path text not null,
  bytes bigint not null check (bytes >= 0)
);
create index backup_by_time on backup (taken_at);
