import { compareVersions, isVersion } from '@visitor-counter/domain/version';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type pg from 'pg';
import manifest from '../../../../package.json' with { type: 'json' };
import { migrationNames } from './migrations.ts';

/** How the schema of a database differs from that of this release; names are those of migrations. */
export interface SchemaState {
  readonly applied: readonly string[];
  /** Those of this release that were not applied. */
  readonly missing: readonly string[];
  /** Applied ones that this release does not have. */
  readonly unknown: readonly string[];
  /** The release that last changed the schema; undefined if there is none. */
  readonly release: string | undefined;
  /** Why programs of this release cannot serve with the schema, even if all of their migrations are applied. */
  readonly refusal: string | undefined;
}

/** Reads which migrations were applied, and whether those of later releases let this one serve. */
export async function readSchemaState(client: pg.ClientBase): Promise<SchemaState> {
  const applied = (await appliedMigrations(client)) ?? [];
  const missing = migrationNames.filter((name) => !applied.includes(name));
  const unknown = applied.filter((name) => !migrationNames.includes(name));
  const state = { applied, missing, unknown, release: undefined, refusal: undefined };
  if (unknown.length === 0) return state;
  const [first = ''] = migrationNames;
  if (unknown.some((name) => name < first)) return { ...state, refusal: beforeRelease };
  if (missing.length > 0) return { ...state, refusal: otherLine(missing, unknown) };
  return { ...state, ...(await readLaterRelease(client)) };
}

/** The same; throws a ConfigurationError if programs of this release cannot serve. */
export async function requireServable(client: ServerClient): Promise<SchemaState> {
  const state = await readSchemaState(client);
  if (state.refusal === undefined) return state;
  throw new ConfigurationError('the database', nameOf(client), state.refusal);
}

type ServerClient = pg.ClientBase & Pick<pg.Client, 'database' | 'host' | 'port'>;

/** Where a database is, without user and password. */
export function nameOf({ host, port, database }: ServerClient): string {
  return `${database} at ${host}:${port}`;
}

/** A migration that contracts records from which release on programs can serve. */
async function readLaterRelease(client: pg.ClientBase): Promise<Pick<SchemaState, 'release' | 'refusal'>> {
  const { rows } = await client.query<{ release: string; from: string }>(
    'select schema_release as release, serves_from as "from" from installation',
  );
  const [{ release, from } = { release: undefined, from: '' }] = rows;
  const serves = isVersion(from) && compareVersions(manifest.version, from) >= 0;
  return { release, refusal: serves ? undefined : contracted(release, from) };
}

const beforeRelease =
  'a schema of a release, but this one is from before the first release and cannot be updated. Delete the data folder ' +
  '(.data unless DATA_DIR is set), or set DATABASE_URL to a new, empty database. Then register companies and devices ' +
  'again: units send again what they still have';

function otherLine(missing: readonly string[], unknown: readonly string[]): string {
  return `a schema of this release or of a later one, but this one has ${unknown.join(', ')}, which this program does not have, and lacks ${missing.join(', ')}`;
}

const { version } = manifest;

function contracted(release = 'unknown', from: string): string {
  return (
    `a schema that serves release ${version}, of which this program is, but release ${release} has changed it for ` +
    `programs from release ${from} on. Upgrade this program to ${release} (Debian: sudo apt update && sudo apt install ` +
    `visitor-counter; containers: docker load of the new image, then docker compose up --detach; ` +
    `checkout: git pull, and start it again), or restore a backup from before that upgrade with the command \`restore\` of release ${version}`
  );
}

/** The names of the migrations that were applied, in order; undefined if there is no schema of this product. */
async function appliedMigrations(client: pg.ClientBase): Promise<string[] | undefined> {
  const found = await client.query(`select where to_regclass('kysely_migration') is not null`);
  if (found.rowCount === 0) return undefined;
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration order by name');
  return rows.map(({ name }) => name);
}
