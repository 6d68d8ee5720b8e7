import pg from 'pg';
import { type Author, recordAudit } from '../audit/record-audit.ts';
import type { ApplyOptions } from '../migrations/apply-migrations.ts';
import { migrate, oldestServer } from '../migrations/migrate.ts';
import { lockKeys } from '../sql/advisory-locks.ts';
import { withClient } from '../sql/create-database.ts';
import { inTransaction } from '../sql/run-statement.ts';
import {
  type Access,
  accesses,
  createOwnedDatabase,
  existingRoles,
  grantDatabase,
  type RoleNames,
  readAdministrator,
  transferOwnership,
  writeRole,
} from './access-roles.ts';

interface SetupOptions {
  readonly author: Author;
  /** A database of the server, with a role that may create roles and databases. */
  readonly adminUrl: string;
  /** The name of the database to set up. */
  readonly database: string;
  readonly roles: RoleNames;
  /**
   * Called before anything is changed. Returns the passwords of the roles, at least of those that do not exist; a role
   * that is left out keeps its own.
   */
  readonly choosePasswords: (existing: ReadonlySet<Access>) => Promise<Passwords>;
}

type Passwords = Readonly<Partial<Record<Access, string>>>;

/** What was done with each role. */
interface SetUp {
  readonly roles: Readonly<
    Record<Access, { readonly created: boolean; readonly password: string | undefined }>
  >;
  readonly migrations: readonly string[];
}

/** The server, or its role, cannot be used for this; the message says what was expected. */
export class SetupRefusedError extends Error {
  override readonly name = 'SetupRefusedError';
}

/**
 * Makes the roles of a database, the database, its schema and all rights, or brings them to what this release expects.
 * Nothing that is stored is changed, and programs may run meanwhile. Several calls run one after the other.
 */
export async function setUpDatabase(options: SetupOptions): Promise<SetUp> {
  return withClient(options.adminUrl, async (client) => {
    await client.query('select pg_advisory_lock($1)', [lockKeys.setup]);
    await refuseServer(client);
    const roles = await writeRoles(client, options);
    const { adminUrl, database, roles: names } = options;
    await createOwnedDatabase(client, adminUrl, database, names.migrate);
    const url = databaseOf(adminUrl, database);
    const ownersChanged = await withClient(url, async (inside) => {
      await grantDatabase(inside, database, names);
      return transferOwnership(inside, names.migrate);
    });
    const asOwner = databaseOf(adminUrl, database, names.migrate);
    const migrations = await migrate(asOwner);
    await withClient(asOwner, async (owner) => {
      await inTransaction(owner, async () => {
        await registerRoles(owner, names);
        await audit(owner, options, { roles, migrations, ownersChanged });
      });
    });
    return { roles, migrations };
  });
}

async function refuseServer(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ version: number }>(
    `select current_setting('server_version_num')::integer as version`,
  );
  const version = rows[0]?.version ?? 0;
  if (version < oldestServer)
    throw new SetupRefusedError(
      `the server is PostgreSQL ${Math.floor(version / 10_000)}: expected 15 or newer`,
    );
  const { name, mayCreate } = await readAdministrator(client);
  if (!mayCreate)
    throw new SetupRefusedError(
      `the role ${name} of DATABASE_ADMIN_URL may not create roles and databases: expected a superuser, or one with createrole and createdb`,
    );
}

async function writeRoles(client: pg.ClientBase, options: SetupOptions): Promise<SetUp['roles']> {
  const { roles: names } = options;
  const existing = await existingRoles(client, names);
  const passwords = await options.choosePasswords(existing);
  for (const access of accesses) {
    const password = passwords[access];
    if (password !== undefined) await writeRole(client, names[access], password, existing.has(access));
  }
  await joinOwner(client, names.migrate);
  const done = (access: Access) => ({ created: !existing.has(access), password: passwords[access] });
  return { migrate: done('migrate'), serve: done('serve'), read: done('read') };
}

/** An administrator who is no superuser must be a member of a role to make it the owner of something. */
async function joinOwner(client: pg.ClientBase, owner: string): Promise<void> {
  const { rowCount } = await client.query(`select where pg_has_role($1, 'usage')`, [owner]);
  if (rowCount === 0) await client.query(`grant ${pg.escapeIdentifier(owner)} to current_user`);
}

/** Records the roles in the database, and grants them what they may do. */
async function registerRoles(client: pg.ClientBase, { serve, read }: RoleNames): Promise<void> {
  await client.query(
    `insert into access_role (role, access) values ($1, 'serve'), ($2, 'read')
     on conflict (role) do update set access = excluded.access`,
    [serve, read],
  );
  await client.query('select grant_access()');
}

/** Records in the audit log what has changed, if anything has. */
async function audit(
  client: pg.ClientBase,
  { author, database, roles: names }: SetupOptions,
  { roles, migrations, ownersChanged }: SetUp & { readonly ownersChanged: number },
): Promise<void> {
  const changes = {
    rolesCreated: accesses.filter((access) => roles[access].created).map((access) => names[access]),
    passwordsSet: accesses
      .filter((access) => roles[access].password !== undefined)
      .map((access) => names[access]),
    migrations,
    ownersChanged,
  };
  const found = Object.entries(changes).filter(
    ([, change]) => (Array.isArray(change) ? change.length : change) !== 0,
  );
  if (found.length === 0) return;
  await recordAudit(client, author, {
    action: 'set up',
    company: null,
    subject: { kind: 'database', key: database },
    details: Object.fromEntries(found),
  });
}

/** The URL of another database of a server; `role` is the one whose rights its sessions have. */
function databaseOf(url: string, database: string, role?: string): string {
  const other = new URL(url);
  other.pathname = `/${encodeURIComponent(database)}`;
  if (role === undefined) return other.href;
  const given = other.searchParams.get('options') ?? '';
  other.searchParams.set('options', `${given} -c role=${role}`.trim());
  return other.href;
}

/**
 * Brings the schema up to date, and the rights of the roles if the user of the URL owns the tables. Returns the names of the
 * migrations that it applied, which the audit log has too.
 */
export async function migrateByOperator(
  url: string,
  author: Author,
  options: ApplyOptions,
): Promise<string[]> {
  const migrations = await migrate(url, url, options);
  await withClient(url, async (client) => {
    await client.query('select grant_access()');
    if (migrations.length === 0) return;
    const { rows } = await client.query<{ name: string }>('select current_database() as name');
    const subject = { kind: 'database' as const, key: rows[0]?.name ?? '' };
    await recordAudit(client, author, {
      action: 'migrated',
      company: null,
      subject,
      details: { migrations },
    });
  });
  return migrations;
}
