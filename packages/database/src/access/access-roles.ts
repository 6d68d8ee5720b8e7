import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { createDatabase } from '../sql/create-database.ts';

/** What the roles of a database are for. */
export const accesses = ['migrate', 'serve', 'read'] as const;
export type Access = (typeof accesses)[number];

/** The names of the roles of a database. */
export type RoleNames = Readonly<Record<Access, string>>;

/** A role has rights that a role of this product must not have. */
export class UnsafeRoleError extends Error {
  override readonly name = 'UnsafeRoleError';
}

/** The role with which `setup` is connected. */
interface Administrator {
  readonly name: string;
  readonly mayCreate: boolean;
}

export async function readAdministrator(client: pg.ClientBase): Promise<Administrator> {
  const { rows } = await client.query<Administrator>(`
    select rolname as name, rolsuper or (rolcreaterole and rolcreatedb) as "mayCreate"
    from pg_roles where rolname = current_user`);
  return rows[0] ?? { name: '', mayCreate: false };
}

/** Those of the roles that exist. Throws an UnsafeRoleError if one may do more than log in. */
export async function existingRoles(client: pg.ClientBase, names: RoleNames): Promise<Set<Access>> {
  const { rows } = await client.query<{ name: string; excess: string | null }>(
    `select rolname as name, concat_ws(', ',
        case when rolsuper then 'superuser' end, case when rolcreaterole then 'createrole' end,
        case when rolcreatedb then 'createdb' end, case when rolbypassrls then 'bypassrls' end,
        case when rolreplication then 'replication' end, case when not rolcanlogin then 'nologin' end,
        (select string_agg('member of ' || pg_get_userbyid(roleid), ', ') from pg_auth_members where member = role.oid)
      ) as excess
    from pg_roles role where rolname = any($1::text[])`,
    [Object.values(names)],
  );
  const unsafe = rows.find(({ excess }) => excess);
  if (unsafe) {
    const expected = 'a role that may log in, and nothing else. Choose another --prefix, or drop that role';
    throw new UnsafeRoleError(`the role ${unsafe.name} exists (${unsafe.excess}): expected ${expected}`);
  }
  const found = new Set(rows.map(({ name }) => name));
  return new Set(accesses.filter((access) => found.has(names[access])));
}

/** Creates a role that may log in and nothing else, or sets the password of the one that exists. */
export async function writeRole(
  client: pg.ClientBase,
  name: string,
  password: string,
  exists: boolean,
): Promise<void> {
  const verb = exists ? 'alter' : 'create';
  const secret = pg.escapeLiteral(scramVerifier(password));
  await client.query(`${verb} role ${pg.escapeIdentifier(name)} login password ${secret}`);
}

const iterations = 4_096;

/**
 * What PostgreSQL stores for a password (SCRAM-SHA-256, RFC 5803). `alter role` accepts it instead of the password, which
 * then is in no log of the server.
 */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, iterations, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(hmac('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${stored}:${hmac('Server Key').toString('base64')}`;
}

/**
 * Creates a database that belongs to the migrating role, or makes it the owner of one that exists and of all tables in it.
 * Nobody else may create anything in the database. `client` is connected to another database of the server, as a
 * superuser or a member of the role. With the locale C, which no release of libc or ICU changes, text is sorted in the
 * same way on every machine that gets the files of the database.
 */
export async function createOwnedDatabase(
  client: pg.ClientBase,
  url: string,
  database: string,
  owner: string,
): Promise<void> {
  const [name, role] = [database, owner].map(pg.escapeIdentifier);
  const kind = `encoding 'UTF8' locale_provider libc locale 'C' template template0`;
  await createDatabase(url, database, `owner ${role} ${kind}`);
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

/**
 * Makes a role the owner of everything in the schema that belongs to another one, and to no extension; and of the schema
 * if it has not the rights of its owner, as after a restore by a superuser.
 */
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
    union all
    select 'pg_namespace'::regclass, oid, nspowner, 'schema', nspname from pg_namespace
    where nspname = 'public' and pg_has_role(nspowner, 'usage') and not pg_has_role($1::name, nspowner, 'usage')
  )
  select format('alter %s %s owner to %I', kind, name, $1::text) as statement
  from object
  where pg_get_userbyid(owner) <> $1::text
    and not exists (select from pg_depend where classid = class and objid = object.oid and deptype = 'e')`;

/**
 * The rights that `setUpDatabase` grants to the role of this connection and that the role does not have, such as
 * `INSERT on crossing`. Empty for a role that was not set up in this way, such as the owner.
 */
export async function missingRights(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ missing: string }>`${missingStatement}`.execute(db);
  return rows.map(({ missing }) => missing);
}

const missingStatement = sql.raw(`
  select privilege || ' on ' || relation::regclass as missing
  from access_right cross join unnest(privileges) as privilege
  where role = current_user and not case when is_sequence
    then has_sequence_privilege(relation, privilege) else has_table_privilege(relation, privilege) end
  union all
  select 'UPDATE (' || name || ') on ' || relation::regclass
  from access_right cross join unnest(columns) as name
  where role = current_user and not has_column_privilege(relation, name, 'UPDATE')
  union all
  select 'EXECUTE on ' || oid::regprocedure from pg_proc
  where pronamespace = to_regnamespace(current_schema()) and not has_function_privilege(oid, 'EXECUTE')
    and exists (select from access_role where role = current_user)
  order by missing`);

/** A role and its password, and the database that it uses. */
interface RoleLogin {
  readonly role: string;
  readonly password: string;
  readonly database: string;
}

/**
 * The URL with which a role connects to a database of the server of `adminUrl`: at `address` (`host:port`), else as the
 * administrator does, and by TCP on this machine for an administrator who uses a Unix socket.
 */
export function roleUrl(adminUrl: string, address: string | undefined, login: RoleLogin): string {
  const admin = new URL(adminUrl);
  const url = new URL(`postgres://${address ?? tcpAddress(admin)}/${encodeURIComponent(login.database)}`);
  url.username = login.role;
  url.password = encodeURIComponent(login.password);
  for (const [name, value] of admin.searchParams) if (/^ssl/.test(name)) url.searchParams.set(name, value);
  return url.href;
}

function tcpAddress({ host, hostname, port, searchParams }: URL): string {
  const given = searchParams.get('host') ?? decodeURIComponent(hostname);
  const isSocket = given === '' || given.startsWith('/');
  const usedPort = searchParams.get('port') || port || '5432';
  if (isSocket) return `127.0.0.1:${usedPort}`;
  return searchParams.has('host') ? `${given}:${usedPort}` : host;
}
