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

-- Adds an entry about a row of configuration. The author is in the setting audit.author of the transaction, as JSON; for a
-- change by hand it is the user of the database.
create function add_audit_entry(action text, company text, kind text, key text, details jsonb) returns void
language sql volatile as $$
  insert into audit_entry (author_kind, author, credential, origin, action, company, subject_kind, subject, details)
  select author->>'kind', author->>'name', author->>'credential', author->>'origin',
    $1, $2, $3, $4, $5
  from (
    select coalesce(nullif(current_setting('audit.author', true), '')::jsonb,
      jsonb_build_object('kind', 'operator', 'name', session_user, 'origin', 'SQL'))
  ) given(author)
$$;

-- The value of a column as an entry shows it: no secret, names instead of ids, and nothing endless.
create function audited_value(name text, value jsonb) returns jsonb language sql stable as $$
  select case
    when $2 = 'null' then $2
    when $1 in ('hash', 'secret_hash', 'sealed') then '"…"'
    when $1 = 'store_ids' then coalesce(
      (select jsonb_agg(sid order by sid collate "C") from store where $2 @> to_jsonb(store.id)), '[]')
    when $1 = 'shop_group_id' then (select to_jsonb(shop_group.name) from shop_group where id = $2::integer)
    when length($2::text) > 2000 then to_jsonb(left($2::text, 2000) || '…')
    else $2
  end
$$;

-- Adds an entry about every row of a table of configuration that is created, changed or removed: its columns, or those that
-- differ. The arguments are the kind of the subject, and the columns that name it. Columns that others than people write
-- make no entry; settings of a unit are orders, which have entries of their own.
create function audit_change() returns trigger language plpgsql as $$
declare
  before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  after jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  present jsonb := coalesce(after, before);
  key text := (select string_agg(present->>name, '/' order by n)
    from unnest(string_to_array(tg_argv[1], ' ')) with ordinality named(name, n));
  details jsonb := (
    select jsonb_object_agg(name, case tg_op when 'UPDATE'
      then jsonb_build_object('from', audited_value(name, before->name), 'to', audited_value(name, value))
      else audited_value(name, value) end)
    from jsonb_each(present) one(name, value)
    where name not in ('id', 'company_id', 'name_key', 'serial_key', 'created_at', 'registered_at', 'since', 'last_used_at',
        'deleted_before', 'settings', 'settings_revision', 'settings_set_at', 'direction_doubtful_since', 'troubles')
      and case tg_op when 'UPDATE' then value is distinct from before->name else value not in ('null', '""') end
  );
begin
  if tg_op = 'UPDATE' and details is null then return null; end if;
  perform add_audit_entry(case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'changed' else 'removed' end,
    case tg_table_name when 'company' then present->>'name'
      else (select name from company where id = (present->>'company_id')::integer) end,
    tg_argv[0], key, coalesce(details, '{}'));
  return null;
end $$;
create trigger audit after insert or update or delete on company for each row execute function audit_change('company', 'name');
create trigger audit after insert or update or delete on store for each row execute function audit_change('store', 'sid');
create trigger audit after insert or update or delete on shop_group for each row
  execute function audit_change('shop group', 'name');
create trigger audit after insert or update or delete on device for each row execute function audit_change('device', 'serial');
create trigger audit after insert or update or delete on credential for each row
  execute function audit_change('credential', 'kind label');
create trigger audit after insert or update or delete on alert_rule for each row
  execute function audit_change('alert rule', 'kind');
create trigger audit after insert or update or delete on alert_target for each row
  execute function audit_change('alert target', 'label');
create trigger audit after insert or update or delete on mail_report for each row
  execute function audit_change('mail report', 'name');

-- Adds an entry about the store that a device belongs to from an instant on, and the one before.
create function audit_assignment() returns trigger language plpgsql as $$
declare
  earlier integer := case tg_op when 'UPDATE' then old.store_id else (
    select store_id from device_assignment where device_id = new.device_id and since < new.since order by since desc limit 1
  ) end;
  sids jsonb := jsonb_build_object('from', (select sid from store where id = earlier),
    'to', (select sid from store where id = new.store_id));
begin
  perform add_audit_entry(case when new.since = '-infinity' then 'assigned' else 'moved' end,
    (select name from company where id = company_id), 'device', serial,
    jsonb_build_object('store', sids) || case when new.since = '-infinity' then '{}'
      else jsonb_build_object('since', to_char(new.since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end)
  from device where id = new.device_id;
  return null;
end $$;
create trigger audit after insert or update on device_assignment for each row execute function audit_assignment();

-- The highest transaction number of the stored crossings, 0 if there are none.
create function highest_transaction() returns bigint language sql stable set enable_seqscan = off as $$
  select coalesce(max(transaction), 0) from crossing
$$;

-- Begins an epoch, after a restore. The numbers of later transactions are higher than all that are stored. A reader may have
-- been away since an earlier epoch, so the numbers stay common only up to the lowest restore.
create function begin_epoch() returns void language sql volatile as $$
  update installation set id = gen_random_uuid(),
    restored_through = least(nullif(restored_through, 0), highest_transaction()),
    transactions_before = greatest(0, highest_transaction() - pg_current_xact_id()::text::bigint);
$$;

-- Begins an epoch if the stored numbers are not lower than the server's, as after a restore without this product's command.
create function begin_epoch_if_behind() returns void language sql volatile as $$
  select begin_epoch() from installation
  where highest_transaction() >= transactions_before + pg_snapshot_xmax(pg_current_snapshot())::text::bigint
$$;
