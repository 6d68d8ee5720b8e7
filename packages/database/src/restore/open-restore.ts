import pg from 'pg';
import { portableText } from '../backup/schema-content.ts';
import { installationId } from '../fleet/database-state.ts';
import { lockKeys, trySessionLock } from '../sql/advisory-locks.ts';
import { openClient } from '../sql/open-client.ts';

/** The schema that a backup is restored into before the switch. A restore that was killed leaves it behind. */
export const restoreSchema = 'visitor_counter_restore';

/** The database refuses a restore as it is; the message names the reason and what was expected. */
export class RestoreRefusedError extends Error {
  override readonly name = 'RestoreRefusedError';
}

/** Where the programs find their tables, and an empty schema in the same database for the restored ones. */
interface RestorePlace extends AsyncDisposable {
  /** The connection that has the lock of the restore. */
  readonly client: pg.Client;
  /** The schema that the programs use. */
  readonly live: string;
  /** The id of the installation that is in it; undefined if it has no tables. */
  readonly installation: string | undefined;
  /** The URL with which programs use the empty schema. */
  readonly url: string;
}

/**
 * Creates the empty schema. Disposing drops it with everything in it; after the switch there is none. Throws a
 * RestoreRefusedError if another restore is running, or if the user of the URL must not replace the tables.
 */
export async function openRestore(url: string): Promise<RestorePlace> {
  const client = await connectRestore(url);
  try {
    const { live, role, ...facts } = await takeOver(client);
    await client.query(`drop schema if exists ${restoreSchema} cascade; create schema ${restoreSchema}`);
    const close = async () => {
      await client.query(`drop schema if exists ${restoreSchema} cascade`).catch(() => {});
      await client.end().catch(() => {});
    };
    const installation = facts.hasTables ? await installationId(client) : undefined;
    return { client, live, installation, url: urlOf(url, role), [Symbol.asyncDispose]: close };
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

/** Connects a session that reads and writes the text of every value in the same way. */
export function connectRestore(url: string, options: pg.ClientConfig = {}): Promise<pg.Client> {
  const config = { connectionString: url, application_name: 'visitor-counter restore', ...options };
  return openClient(config, portableText);
}

interface Facts {
  readonly live: string | null;
  readonly user: string;
  /** The owner of the tables, else of the database. */
  readonly owner: string;
  readonly hasTables: boolean;
  readonly schemaOwner: string;
  readonly mayUseOwner: boolean;
  readonly ownerMayReplace: boolean;
}

/** Takes the lock of the restore, and becomes the owner of the tables: the restored ones must have the same. */
async function takeOver(
  client: pg.Client,
): Promise<{ readonly live: string; readonly role: string; readonly hasTables: boolean }> {
  if (!(await trySessionLock(client, lockKeys.restore)))
    throw new RestoreRefusedError('another restore is running in this database');
  const { rows } = await client.query<Facts>(factsStatement);
  const [facts] = rows;
  if (facts === undefined || facts.live === null)
    throw new RestoreRefusedError(
      'the user of the database has no schema on its search_path: expected public',
    );
  const { live, user, owner, schemaOwner, hasTables, mayUseOwner, ownerMayReplace } = facts;
  if (!mayUseOwner || !ownerMayReplace)
    throw new RestoreRefusedError(
      `the user of the database is "${user}", who must not replace the tables: expected the owner of the database, its tables (they belong to "${owner}") and their schema (it belongs to "${schemaOwner}"). Set DATABASE_MIGRATE_URL to the URL of that owner; \`admin database setup\` makes one role the owner of all`,
    );
  await client.query(`set role ${pg.escapeIdentifier(owner)}`);
  return { live, role: owner, hasTables };
}

/** The same database, with the restored tables on the search path. */
function urlOf(url: string, role: string): string {
  const restored = new URL(url);
  const given = restored.searchParams.get('options') ?? '';
  const escaped = role.replaceAll(/[\\ ]/g, '\\$&');
  const options = `${given} -c search_path=${restoreSchema} -c role=${escaped}`.trim();
  restored.searchParams.set('options', options);
  return restored.href;
}

const factsStatement = `
  select current_schema()::text as live, current_user::text as user, pg_get_userbyid(owner)::text as owner,
    pg_get_userbyid(nspowner)::text as "schemaOwner", present as "hasTables", pg_has_role(owner, 'MEMBER') as "mayUseOwner",
    has_database_privilege(owner, current_database(), 'CREATE')
      and pg_has_role(owner, nspowner, 'USAGE') as "ownerMayReplace"
  from (
    select coalesce((select relowner from pg_class where oid = to_regclass('installation')), datdba) as owner,
      to_regclass('installation') is not null as present
    from pg_database where datname = current_database()
  ) database
  left join pg_namespace on nspname = current_schema()`;
