import { readFile } from 'node:fs/promises';
import type { Logger } from '@visitor-counter/service/logger';
import { repeat } from '@visitor-counter/service/repeat';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type pg from 'pg';
import manifest from '../../../../package.json' with { type: 'json' };
import { connect } from '../sql/connect.ts';
import { errorFields } from '../sql/unavailable.ts';

/** One change of the schema. Migrations are applied in the order of their names, which begin with their times. */
export interface SchemaMigration extends Migration {
  readonly name: string;
}

/** A migration whose SQL is in a folder of its name: one file for each subject, in the order of their references. */
function migration(name: string, subjects: readonly string[]): SchemaMigration {
  return {
    name,
    up: async (db) => {
      for (const subject of subjects) {
        const text = await readFile(new URL(`${name}/${subject}.sql`, import.meta.url), 'utf8');
        await sql.raw(text).execute(db);
      }
    },
  };
}

/** The migrations of this release, in their order. */
export const migrations: readonly SchemaMigration[] = [
  migration('20261129T0000-first-schema', [
    'installation',
    'companies',
    'devices',
    'crossings',
    'occupancy',
    'settings',
    'alerts',
    'operators',
  ]),
];

/** How the schema of a database differs from that of this release; names are those of migrations. */
export type SchemaState = Awaited<ReturnType<typeof readSchemaState>>;

/**
 * Reads which migrations were applied, which ones of this release are missing, and which are unknown: this release does not
 * have them, so its programs cannot use the schema.
 */
export async function readSchemaState(client: pg.ClientBase) {
  const applied = await appliedMigrations(client);
  const known = migrations.map(({ name }) => name);
  return {
    applied,
    missing: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}

/** Empty if there is no schema of this product. */
async function appliedMigrations(client: pg.ClientBase): Promise<string[]> {
  const found = await client.query(`select where to_regclass('kysely_migration') is not null`);
  if (found.rowCount === 0) return [];
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration order by name');
  return rows.map(({ name }) => name);
}

/** The same; throws a ConfigurationError for a schema that this release cannot use. */
export async function requireKnown(client: ServerClient): Promise<SchemaState> {
  const state = await readSchemaState(client);
  if (state.unknown.length === 0) return state;
  throw new ConfigurationError('the database', nameOf(client), expectedSchema(state));
}

type ServerClient = pg.ClientBase & Pick<pg.Client, 'database' | 'host' | 'port'>;

/** Where a database is, without user and password. */
export function nameOf({ host, port, database }: ServerClient): string {
  return `${database} at ${host}:${port}`;
}

/** What is expected instead of a schema with unknown migrations, and what to do. */
export function expectedSchema({ unknown }: SchemaState): string {
  return (
    `a schema of release ${manifest.version}, of which this program is, but this one has ${unknown.join(', ')}, which ` +
    'that release does not have. Install the release that has changed the schema, or restore a backup from before that. ' +
    'A database from before the first release cannot be updated: delete the data folder (.data unless DATA_DIR is set), ' +
    'or set DATABASE_URL to a new, empty database'
  );
}

/** How often the schema is read (ms). */
const interval = 2_000;

interface SchemaWatch {
  /** Rejects with a ConfigurationError when another release has changed the schema. */
  readonly failure: Promise<never>;
  close(): Promise<void>;
}

/** Watches the schema, which another release may change while this program serves. */
export function watchSchema(url: string, log: Logger): SchemaWatch {
  const limits = { maxConnections: 1, statementTimeout: 5_000, queryDeadline: 6_000 };
  const database = connect(url, { applicationName: 'visitor-counter schema', ...limits });
  const { promise: failure, reject } = Promise.withResolvers<never>();
  failure.catch(() => {});
  const read = async () => {
    const client = await database.pool.connect();
    await requireKnown(client).finally(() => client.release());
  };
  const watching = repeat(interval, read, (error) => {
    if (error instanceof ConfigurationError) reject(error);
    else log.debug(errorFields(error), 'schema not read');
  });
  return {
    failure,
    close: async () => {
      await watching.close();
      await database.close();
    },
  };
}
