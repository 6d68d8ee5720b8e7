import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import type { Db } from '../sql/query-builder.ts';

/** What the roles of a database are for. */
export const accesses = ['migrate', 'serve', 'read'] as const;
export type Access = (typeof accesses)[number];

/** The names of the roles of a database. */
export type RoleNames = Readonly<Record<Access, string>>;

/** Those of the roles that exist. */
export async function existingRoles(client: pg.ClientBase, names: RoleNames): Promise<Set<Access>> {
  const { rows } = await client.query<{ name: string }>(
    'select rolname as name from pg_roles where rolname = any($1)',
    [Object.values(names)],
  );
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

/** The rights of a role that serves which the user of this connection lacks, such as `INSERT on crossing`. */
export async function missingRights(db: Db): Promise<string[]> {
  const { rows } = await sql<{ missing: string }>`
    select privilege || ' on ' || relname as missing
    from pg_class cross join unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) as privilege
    where relnamespace = to_regnamespace('public') and relkind = 'r' and not has_table_privilege(oid, privilege)
    order by missing`.execute(db);
  return rows.map(({ missing }) => missing);
}

/** A role and its password, and the database that it uses. */
interface RoleLogin {
  readonly role: string;
  readonly password: string;
  readonly database: string;
}

/**
 * The URL with which a role connects to a database of the server of `adminUrl`: as the administrator does, and by TCP on this machine for an administrator who uses a Unix socket.
 */
export function roleUrl(adminUrl: string, login: RoleLogin): string {
  const admin = new URL(adminUrl);
  const url = new URL(`postgres://${tcpAddress(admin)}/${encodeURIComponent(login.database)}`);
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
