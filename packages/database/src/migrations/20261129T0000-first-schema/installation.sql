-- Which database this is.

-- One row. id differs from that of every other database, and a restore renews it. transactions_before is added to the
-- server's own transaction numbers, so that they continue to grow when the data moves to a server whose numbers are lower.
-- Up to restored_through the numbers are the same as before every restore. has_mail_server: whether the process that sends
-- mails has a mail server; null before it has started for the first time. backed_up_at: when the last backup was taken that was
-- complete and verified; a backup does not contain its own time. Every insert of crossings reads the row, so it is rarely
-- changed.
create table installation (
  singleton boolean primary key default true check (singleton),
  id uuid not null default gen_random_uuid(),
  transactions_before bigint not null default 0,
  restored_through bigint not null default 0,
  has_mail_server boolean,
  backed_up_at timestamptz
);
insert into installation default values;

-- The epoch that transaction numbers belong to: the installation, and the timeline of PostgreSQL, which a failover and a
-- point-in-time recovery change. Only a primary knows it.
create function current_epoch() returns text language sql stable as $$
  select left(replace(id::text, '-', ''), 16) || lower(left(pg_walfile_name(pg_current_wal_lsn()), 8)) from installation
$$;

-- The number of this transaction, for the crossings that it writes.
create function current_transaction() returns bigint language sql volatile as $$
  select transactions_before + pg_current_xact_id()::text::bigint from installation
$$;

-- An instant as epoch ms; instants from the database's clock have microseconds.
create function epoch_ms(instant timestamptz) returns float8 language sql immutable as $$
  select floor(extract(epoch from instant) * 1000)::float8
$$;

-- The quarter hour that contains an instant, counted from 1970 in UTC, and the instant at which one begins.
create function quarter_of(instant timestamptz) returns integer language sql immutable as $$
  select floor(extract(epoch from instant) / 900)::integer
$$;
create function quarter_start(quarter integer) returns timestamptz language sql immutable as $$
  select to_timestamp(quarter * 900::float8)
$$;
