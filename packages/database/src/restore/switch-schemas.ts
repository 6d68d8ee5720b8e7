import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { mostIdle } from '../sql/advisory-locks.ts';
import { isLockBusy } from '../sql/unavailable.ts';

/** How long the switch waits for running transactions before it ends their connections (ms). */
const patience = 5_000;

/** How often the switch is tried. */
const attempts = 8;

/** The schema of the programs, the one that replaces it, and the name that it gets. */
interface Switch {
  readonly live: string;
  readonly incoming: string;
  readonly aside: string;
  /** Writes into the tables that now serve, in the same transaction. */
  readonly record: (client: pg.ClientBase) => Promise<void>;
}

/**
 * Makes other tables those of the programs, in one transaction: `live` gets the name `aside`, and `incoming` gets the
 * name `live`. Running programs wait for it, for at most three seconds at a time, and continue with
 * the other tables. Roles have the rights on them that they had on the previous ones. If it fails, nothing has changed.
 */
export async function switchSchemas(client: pg.Client, names: Switch): Promise<void> {
  const begin = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query('begin');
      await client.query(
        `set local lock_timeout = ${attempt % 2 === 0 ? 3_000 : 800};
         set local idle_in_transaction_session_timeout = ${mostIdle}`,
      );
      await lockTables(client, names.live);
      await rename(client, names);
      await names.record(client);
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback');
      if (!isLockBusy(error) || attempt === attempts) throw error;
      if (performance.now() - begin > patience) await endHolders(client, names.live);
      await delay(200);
    }
  }
}

/** Waits until no transaction uses the tables: none may write into some of the old and some of the new ones. */
async function lockTables(client: pg.Client, live: string): Promise<void> {
  const { rows } = await client.query<{ tables: string | null }>(tablesStatement, [live]);
  const tables = rows[0]?.tables;
  if (tables) await client.query(`lock table ${tables} in access exclusive mode`);
}

async function rename(client: pg.Client, { live, incoming, aside }: Switch): Promise<void> {
  const [old, present, other] = [aside, live, incoming].map(pg.escapeIdentifier);
  await client.query(`alter schema ${present} rename to ${old}; alter schema ${other} rename to ${present}`);
  const { rows } = await client.query<{ statement: string }>(grantsStatement, [aside, live]);
  for (const { statement } of rows) await client.query(statement);
  const { rows: facts } = await client.query<{ name: string }>(
    'select current_schema()::text as name, require_restored()',
  );
  if (facts[0]?.name !== live)
    throw new Error(`the schema is "${facts[0]?.name}" after the switch, expected "${live}"`);
}

/** Such as an export that runs for minutes: its caller begins again. */
async function endHolders(client: pg.Client, live: string): Promise<void> {
  await client.query(endStatement, [live]).catch(() => {});
}

const tablesStatement = `
  select string_agg(format('%I.%I', nspname, relname), ', ' order by relname) as tables
  from pg_class join pg_namespace namespace on namespace.oid = relnamespace
  where nspname = $1 and relkind in ('r', 'p') and not relispartition`;

const endStatement = `
  select count(pg_terminate_backend(pid)) from (
    select distinct pid from pg_locks
    join pg_class class on class.oid = relation
    join pg_namespace namespace on namespace.oid = relnamespace
    where nspname = $1 and database = (select oid from pg_database where datname = current_database())
      and granted and pid <> pg_backend_pid()
  ) holder`;

/* $1: the schema with the rights, $2: the schema that gets them. A grantee of 0 is everybody. */
const grantsStatement = `
  with object as (
    select class.oid, relowner as owner, relacl as acl, class.relname as name, null as arguments,
      case relkind when 'S' then 'sequence' else 'table' end as kind
    from pg_class class join pg_namespace namespace on namespace.oid = relnamespace
    where nspname = $1 and relkind in ('r', 'p', 'v', 'm', 'S')
    union all
    select proc.oid, proowner, proacl, proname, pg_get_function_identity_arguments(proc.oid), 'function'
    from pg_proc proc join pg_namespace namespace on namespace.oid = pronamespace where nspname = $1 and proacl is not null
  ), target as (
    select object.*, format('%s %I.%I', kind, $2::text, name) || coalesce('(' || arguments || ')', '') as place
    from object
    where case kind
      when 'function' then exists (
        select from pg_proc proc join pg_namespace namespace on namespace.oid = pronamespace
        where nspname = $2 and proname = name and pg_get_function_identity_arguments(proc.oid) = arguments)
      else to_regclass(format('%I.%I', $2::text, name)) is not null end
  )
  select format('revoke all on %s from public', place) as statement from target where kind = 'function'
  union all
  select format('grant %s on %s to %s', privilege_type, place,
    case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end)
  from target cross join lateral aclexplode(acl) where grantee <> owner
  union all
  select format('grant %s (%I) on %s to %s', privilege_type, attname, place,
    case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end)
  from target join pg_attribute on attrelid = target.oid and attacl is not null and kind = 'table'
  cross join lateral aclexplode(attacl) where grantee <> owner
  union all
  select format('grant %s on schema %I to %s', privilege_type, $2::text,
    case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end)
  from pg_namespace cross join lateral aclexplode(nspacl) where nspname = $1 and grantee <> nspowner
  union all
  select format('alter default privileges for role %I in schema %I grant %s on %s to %s',
    pg_get_userbyid(defaclrole), $2::text, privilege_type,
    case defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions' else 'types' end,
    case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end)
  from pg_default_acl join pg_namespace namespace on namespace.oid = defaclnamespace
  cross join lateral aclexplode(defaclacl) where nspname = $1 and grantee <> defaclrole and pg_has_role(defaclrole, 'USAGE')`;
