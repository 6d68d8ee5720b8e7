-- Backups, the audit log, which roles of PostgreSQL may use these tables, and what a restore begins.

-- Backups that were complete and verified when they were recorded. A backup does not contain its own row.
create table backup (
  id bigint generated always as identity primary key,
  taken_at timestamptz not null
);

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

-- A role that serves, which is how the programs connect, or one that only reads.
create table access_role (
  role name primary key,
  access text not null check (access in ('serve', 'read'))
);

-- What the roles may do with each table, view and sequence of this product's owner; `columns` are the columns that may be
-- updated. Append-only tables have the trigger append_only. The instant, the direction and the key of a crossing never
-- change.
create view access_right as
select role, relation.oid as relation, relkind = 'S' as is_sequence,
  case
    when access = 'read' then array['SELECT']
    when relkind = 'S' then array['SELECT', 'USAGE']
    when relkind <> 'r' then array['SELECT']
    when relname in ('access_role', 'kysely_migration', 'kysely_migration_lock') then array['SELECT']
    when exists (select from pg_trigger where tgrelid = relation.oid and tgname = 'append_only')
      then array['INSERT', 'SELECT']
    when relname = 'crossing' then array['DELETE', 'INSERT', 'SELECT']
    else array['DELETE', 'INSERT', 'SELECT', 'UPDATE']
  end as privileges,
  case when access = 'serve' and relname = 'crossing' then array['store_id', 'transaction'] end as columns
from access_role
join pg_roles on rolname = role
cross join pg_class relation
where relnamespace = to_regnamespace(current_schema()) and relkind in ('r', 'v', 'S')
  and relowner = (select relowner from pg_class where oid = 'access_role'::regclass);

-- Grants the roles what they may do, and revokes everything else; what is right already stays untouched. A role that does
-- not exist, as after a restore on another server, is left out. Only the owner of the tables may call it.
create function grant_access() returns void language plpgsql as $$
declare
  expected record;
begin
  for expected in select distinct role from access_right loop
    execute format('grant usage on schema %I to %I', current_schema(), expected.role);
  end loop;
  for expected in
    select access_right.*, case when is_sequence then 'sequence' else 'table' end as kind
    from access_right
    join pg_roles on rolname = role
    where privileges is distinct from (
        select array_agg(privilege_type order by privilege_type)
        from pg_class, aclexplode(relacl) granted where pg_class.oid = relation and grantee = pg_roles.oid
      )
      or exists (select from unnest(columns) as name where not has_column_privilege(role, relation, name, 'update'))
  loop
    execute format('revoke all on %s %s from %I', expected.kind, expected.relation::regclass, expected.role);
    execute format('grant %s on %s %s to %I',
      array_to_string(expected.privileges, ', '), expected.kind, expected.relation::regclass, expected.role);
    if expected.columns is not null then
      execute format('grant update (%s) on %s to %I',
        array_to_string(expected.columns, ', '), expected.relation::regclass, expected.role);
    end if;
  end loop;
  for expected in
    select role, pg_proc.oid::regprocedure as routine from access_role join pg_roles on rolname = role cross join pg_proc
    where pronamespace = to_regnamespace(current_schema()) and pg_has_role(proowner, 'usage')
      and not has_function_privilege(role, pg_proc.oid, 'execute')
  loop
    execute format('grant execute on routine %s to %I', expected.routine, expected.role);
  end loop;
end $$;

-- The highest transaction number of the stored and the removed crossings, 0 if there are none.
create function highest_transaction() returns bigint language sql stable set enable_seqscan = off as $$
  select greatest((select max(transaction) from crossing), (select max(last_transaction) from retention_pass), 0)
$$;

-- Begins an epoch, after a restore. The numbers of later transactions are higher than all that are stored.
create function begin_epoch() returns void language sql volatile as $$
  update installation set id = gen_random_uuid(), restored_through = highest_transaction(),
    transactions_before = greatest(0, highest_transaction() - pg_current_xact_id()::text::bigint);
  -- Of transactions whose numbers this server has not issued yet.
  delete from projection_progress where begun_before > current_transaction();
$$;

-- Begins an epoch if the stored numbers are not lower than the server's, as after a restore without this product's command.
create function begin_epoch_if_behind() returns void language sql volatile as $$
  select begin_epoch() from installation
  where highest_transaction() >= transactions_before + pg_snapshot_xmax(pg_current_snapshot())::text::bigint
$$;
