-- Which database this is, and which run of which server the data is from.

-- One row. id differs from that of every other database, including a later one at the same address.
-- transactions_before is added to the server's own transaction numbers, so that they continue to grow when
-- the data moves to a server whose numbers are lower. schema_release is the release that last changed the schema; programs
-- of releases before serves_from, which do not have its latest migrations, cannot serve with it.
create table installation (
  singleton boolean primary key default true check (singleton),
  id uuid not null default gen_random_uuid(),
  transactions_before bigint not null default 0,
  schema_release text not null default '0.1.0',
  serves_from text not null default '0.1.0'
);
insert into installation default values;

-- A history is what one run of one server does with these tables. A restart, a restore, a point-in-time recovery, the
-- promotion of a standby, tables that are created again, and a migration that ends the service of older programs each
-- begin the next history. Everything up to after_transaction also belongs to the previous histories; what those had beyond
-- it is lost. So a position in an older history is valid now exactly if it is not beyond the after_transaction of the
-- history that followed.
--
-- number is the order. A restored database issues the same numbers again, but never the same id (15 digits).
-- origin is the history_origin() that the history began with.
--
-- Every transaction that writes crossings gets its number from current_transaction(), which begins the next history
-- if that is due. A connection that caches data calls begin_history() first; its transactions fail once another
-- history has begun.
create table history (
  number integer generated always as identity primary key,
  id text not null unique
    default lpad(('x' || left(replace(gen_random_uuid()::text, '-', ''), 12))::bit(48)::bigint::text, 15, '0'),
  origin text not null,
  after_transaction bigint not null,
  begun_at timestamptz not null default now()
);

-- Identifies the present history by facts that no backup restores. A table that is truncated, created again or
-- replaced by renaming has another file or another oid.
create function history_origin() returns text language sql stable as $$
  select concat_ws(' ', extract(epoch from pg_postmaster_start_time()),
    (select oid from pg_database where datname = current_database()),
    string_agg(concat_ws(':', to_regclass(name)::oid, pg_relation_filenode(to_regclass(name))), ' ' order by name))
  from unnest(array['crossing', 'device', 'journal', 'installation']) as name
$$;

-- The highest transaction number of the stored crossings, 0 if there are none.
create function highest_transaction() returns bigint language plpgsql volatile set enable_seqscan = off as $$
begin
  return coalesce((select max(transaction) from crossing), 0);
end $$;

-- Fails while the database is being restored. A restore creates the tables, fills them, and adds the keys last: a row
-- written meanwhile could take the key of a row that is still to be restored.
create function require_restored() returns void language plpgsql stable as $$
begin
  if exists (select from history) and exists (select from installation)
    and exists (select from pg_constraint where contype = 'p' and conrelid = to_regclass('crossing'))
    and exists (select from pg_constraint where contype = 'f' and conrelid = to_regclass('journal'))
  then return; end if;
  raise sqlstate '57P03' using message = 'the database is being restored';
end $$;

-- Takes the lock under which a history begins, until the end of the transaction. Without `wait` it returns false if
-- another transaction has the lock. No other user of this database uses this number.
create function may_begin_history(wait boolean) returns boolean language plpgsql volatile as $$
begin
  if not wait then return pg_try_advisory_xact_lock(7210311516); end if;
  perform pg_advisory_xact_lock(7210311516);
  return true;
end $$;

-- Begins the next history if that is due, and returns the id of the present one. It fails on a standby, and on a server
-- that still recovers, as after a restore: they accept connections, but no changes. Transactions that follow get higher
-- numbers than all that are stored, even if the server's own numbers are lower. Several connections may call it at
-- the same time. Without `wait` it does not wait for a transaction that is beginning the history, and returns the id
-- of the history before.
create function begin_history(wait boolean default true) returns text
language plpgsql volatile set enable_seqscan = off as $$
declare
  present record;
  highest bigint;
begin
  perform require_restored();
  for attempt in 1..2 loop
    select id, origin = history_origin() and not exists (
        select from crossing where transaction >= (
          select transactions_before + pg_snapshot_xmax(pg_current_snapshot())::text::bigint from installation)
      ) as goes_on
    into present from history order by number desc limit 1;
    if present.goes_on then return present.id; end if;
    if pg_is_in_recovery() then
      raise sqlstate '57P03' using message = 'the database server is a standby or still recovers';
    end if;
    if attempt = 1 and not may_begin_history(wait) then return present.id; end if;
  end loop;
  highest := highest_transaction();
  update installation set transactions_before = highest
  where transactions_before + pg_snapshot_xmax(pg_current_snapshot())::text::bigint <= highest;
  insert into history (origin, after_transaction) values (history_origin(), highest) returning id into present;
  return present.id;
end $$;

-- Fails if another history has begun than the one that this connection names in the setting visitor_counter.history.
-- For a connection that names none it begins the next history if that is due.
create function require_history() returns void language plpgsql volatile as $$
declare
  known text := nullif(current_setting('visitor_counter.history', true), '');
  present record;
begin
  select id, origin = history_origin() as goes_on into present from history order by number desc limit 1;
  if present.goes_on and present.id = coalesce(known, present.id) then return; end if;
  if known is null then
    perform begin_history(wait => false);
  else
    raise sqlstate 'VC001' using message = 'the database has begun another history';
  end if;
end $$;

-- The number of this transaction, for the crossings that it writes. It grows over restores and changes of server.
create function current_transaction() returns bigint language plpgsql volatile as $$
begin
  perform require_history();
  return (select transactions_before + pg_current_xact_id()::text::bigint from installation);
end $$;
