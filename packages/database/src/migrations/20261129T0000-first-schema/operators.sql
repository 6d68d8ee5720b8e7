-- The audit log, and what a restore begins.

-- One change, written in the same transaction. An entry has names instead of references, so it still says the same when
-- something is renamed. credential is the label of the credential that staff used. details never has a secret.
create table audit_entry (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  author_kind text not null check (author_kind in ('operator', 'staff', 'unit')),
  author text not null,
  credential text,
  origin text not null,
  action text not null,
  company text,
  subject_kind text not null,
  subject text not null,
  details json not null
);
create index audit_entry_by_time on audit_entry (at);
create index audit_entry_by_subject on audit_entry (lower(subject));

create trigger append_only before update or delete or truncate on audit_entry
  for each statement execute function refuse_change();

-- The highest transaction number of the stored crossings, 0 if there are none.
create function highest_transaction() returns bigint language sql stable set enable_seqscan = off as $$
  select coalesce(max(transaction), 0) from crossing
$$;

-- Begins an epoch, after a restore. The numbers of later transactions are higher than all that are stored.
create function begin_epoch() returns void language sql volatile as $$
  update installation set id = gen_random_uuid(), restored_through = highest_transaction(),
    transactions_before = greatest(0, highest_transaction() - pg_current_xact_id()::text::bigint);
$$;

-- Begins an epoch if the stored numbers are not lower than the server's, as after a restore without this product's command.
create function begin_epoch_if_behind() returns void language sql volatile as $$
  select begin_epoch() from installation
  where highest_transaction() >= transactions_before + pg_snapshot_xmax(pg_current_snapshot())::text::bigint
$$;
