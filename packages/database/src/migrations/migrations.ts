import { firstSchema } from './20261123T0000-first-schema.ts';
import type { SchemaMigration } from './schema-migration.ts';

/** The migrations of this release, in their order. */
export const migrations: readonly SchemaMigration[] = [firstSchema];

export const migrationNames: readonly string[] = migrations.map(({ name }) => name);
