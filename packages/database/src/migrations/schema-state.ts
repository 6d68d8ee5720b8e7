import type { Database } from '../sql/connect.ts';
import { onKysely } from '../sql/run-statement.ts';
import { appliedMigrations } from './applied-migrations.ts';
import { migrationNames } from './migrate.ts';

/** How the schema of a database differs from that of this release; names are those of migrations. */
export interface SchemaState {
  readonly applied: readonly string[];
  /** Those of this release that were not applied. */
  readonly missing: readonly string[];
  /** Applied ones that this release does not have. */
  readonly unknown: readonly string[];
}

/** Reads which migrations were applied, and changes nothing. */
export async function readSchemaState({ kysely }: Pick<Database, 'kysely'>): Promise<SchemaState> {
  const applied = (await appliedMigrations(onKysely(kysely))) ?? [];
  return {
    applied,
    missing: migrationNames.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !migrationNames.includes(name)),
  };
}
