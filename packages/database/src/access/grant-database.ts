import pg from 'pg';
import { createDatabase } from '../sql/create-database.ts';
import type { RoleNames } from './access-roles.ts';

/**
 * Creates a database that belongs to the migrating role, or makes it the owner of one that exists and of all tables in it.
 * Nobody else may create anything in the database. `client` is connected to another database of the server, as a
 * superuser or a member of the role.
 */
export async function createOwnedDatabase(
  client: pg.ClientBase,
  url: string,
  database: string,
  owner: string,
): Promise<void> {
  const [name, role] = [database, owner].map(pg.escapeIdentifier);
  await createDatabase(url, database, `owner ${role} encoding 'UTF8' template template0`);
  const { rows } = await client.query(
    'select from pg_database where datname = $1 and pg_get_userbyid(datdba) <> $2',
    [database, owner],
  );
  if (rows.length > 0) await client.query(`alter database ${name} owner to ${role}`);
}

/** Who may connect to the database, and create tables in its schema. `client` is connected to it. */
export async function grantDatabase(
  client: pg.ClientBase,
  database: string,
  { migrate, serve, read }: RoleNames,
): Promise<void> {
  const name = pg.escapeIdentifier(database);
  const [owner, server, reader] = [migrate, serve, read].map(pg.escapeIdentifier);
  await client.query(`
    revoke all on database ${name} from public;
    revoke all on database ${name} from ${server}, ${reader};
    grant connect on database ${name} to ${server}, ${reader};
    revoke create on schema public from public;
    revoke all on schema public from ${server}, ${reader};
    grant usage, create on schema public to ${owner};
    grant usage on schema public to ${server}, ${reader};
    alter role ${reader} in database ${name} set default_transaction_read_only = on`);
}

/** Makes a role the owner of everything in the schema that belongs to another one, and to no extension. */
export async function transferOwnership(client: pg.ClientBase, owner: string): Promise<number> {
  const { rows } = await client.query<{ statement: string }>(ownedByOthers, [owner]);
  for (const { statement } of rows) await client.query(statement);
  return rows.length;
}

/* Sequences of identity columns and types of tables follow their tables. */
const ownedByOthers = `
  with object as (
    select 'pg_class'::regclass as class, oid, relowner as owner,
      case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end as kind,
      oid::regclass::text as name
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')
      and not exists (select from pg_depend where objid = pg_class.oid and deptype in ('a', 'i') and relkind = 'S')
    union all
    select 'pg_proc'::regclass, oid, proowner, 'routine', oid::regprocedure::text
    from pg_proc where pronamespace = 'public'::regnamespace
  )
  select format('alter %s %s owner to %I', kind, name, $1::text) as statement
  from object
  where pg_get_userbyid(owner) <> $1::text
    and not exists (select from pg_depend where classid = class and objid = object.oid and deptype = 'e')`;
