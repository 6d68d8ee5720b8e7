import { readFile } from 'node:fs/promises';
import { codeOf, reasonOf } from '@visitor-counter/service/errors';
import pg from 'pg';
import { type Author, recordAudit } from '../audit/audit-log.ts';
import { migrate } from '../migrations/migrate.ts';
import { createDatabase, withClient } from '../sql/open-client.ts';
import { type Db, preparedOn } from '../sql/query-builder.ts';
import { type Access, accesses, existingRoles, type RoleNames, writeRole } from './access-roles.ts';

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

/** The server, its role, or the database cannot be used for this; the message says what was expected. */
export class SetupRefusedError extends Error {
  override readonly name = 'SetupRefusedError';
}

/**
 * Makes the roles of a database, the database, its schema and all rights, or brings them to what this release expects.
 * Nothing that is stored is changed, and programs may run meanwhile.
 */
export async function setUpDatabase(options: SetupOptions): Promise<SetUp> {
  const { adminUrl, database, roles: names } = options;
  return withClient(adminUrl, async (client) => {
    await refuseOwner(client, database, names.migrate);
    const roles = await writeRoles(client, options).catch(explain);
    /* With the locale C, which no release of libc or ICU changes, text is sorted in the same way on every machine. */
    const kind = `encoding 'UTF8' locale_provider libc locale 'C' template template0`;
    await createDatabase(adminUrl, database, `owner ${pg.escapeIdentifier(names.migrate)} ${kind}`);
    const asOwner = databaseOf(adminUrl, database, names.migrate);
    const migrations = await migrate(asOwner);
    const script = await readFile(new URL('grants.sql', import.meta.url), 'utf8');
    await withClient(asOwner, async (owner) => {
      await owner.query(withNames(script, { ...names, database }));
      await audit(preparedOn(owner), options, { roles, migrations });
    });
    const reader = `${pg.escapeIdentifier(names.read)} in database ${pg.escapeIdentifier(database)}`;
    await client.query(`alter role ${reader} set default_transaction_read_only = on`);
    return { roles, migrations };
  });
}

/** A script with names in place of its variables, as psql does. */
function withNames(script: string, names: Readonly<Record<string, string>>): string {
  return script.replace(/:"(\w+)"/g, (_, name: string) => pg.escapeIdentifier(names[name] ?? name));
}

function explain(error: unknown): never {
  if (codeOf(error) !== '42501') throw error;
  throw new SetupRefusedError(
    `${reasonOf(error)}: expected a superuser in DATABASE_ADMIN_URL, or a role with createrole and createdb`,
  );
}

/** A database that exists must belong to the role that migrates. */
async function refuseOwner(client: pg.ClientBase, database: string, owner: string): Promise<void> {
  const { rows } = await client.query<{ owner: string }>(
    'select pg_get_userbyid(datdba) as owner from pg_database where datname = $1 and pg_get_userbyid(datdba) <> $2',
    [database, owner],
  );
  const [found] = rows;
  if (found)
    throw new SetupRefusedError(
      `the database ${database} exists and belongs to ${found.owner}: expected ${owner}. Take a backup of it, set up a database of another name (--database), and restore the backup there`,
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

/** Records in the audit log what has changed, if anything has. */
async function audit(
  db: Db,
  { author, database, roles: names }: SetupOptions,
  { roles, migrations }: SetUp,
): Promise<void> {
  const rolesCreated = accesses.filter((access) => roles[access].created).map((access) => names[access]);
  const set = accesses.filter((access) => roles[access].password !== undefined);
  const passwordsSet = set.map((access) => names[access]);
  if (passwordsSet.length + migrations.length === 0) return;
  await recordAudit(db, author, {
    action: 'set up',
    company: null,
    subject: { kind: 'database', key: database },
    details: { rolesCreated, passwordsSet, migrations },
  });
}

/** The URL of another database of a server, with the rights of `role`. */
function databaseOf(url: string, database: string, role: string): string {
  const other = new URL(url);
  other.pathname = `/${encodeURIComponent(database)}`;
  const given = other.searchParams.get('options') ?? '';
  other.searchParams.set('options', `${given} -c role=${role}`.trim());
  return other.href;
}

/** Brings the schema up to date. Returns the names of the migrations that it applied, which the audit log has too. */
export async function migrateByOperator(url: string, author: Author): Promise<string[]> {
  const migrations = await migrate(url);
  if (migrations.length === 0) return migrations;
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string }>('select current_database() as name');
    const subject = { kind: 'database' as const, key: rows[0]?.name ?? '' };
    const details = { migrations };
    await recordAudit(preparedOn(client), author, { action: 'migrated', company: null, subject, details });
  });
  return migrations;
}
