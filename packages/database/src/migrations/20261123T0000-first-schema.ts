import { readFile } from 'node:fs/promises';
import type { SchemaMigration } from './schema-migration.ts';

/** The parts of the schema: one SQL file each, in the order of their references. */
const subjects = [
  'histories',
  'companies',
  'devices',
  'commands',
  'crossings',
  'voids',
  'rejected',
  'coverage',
  'credentials',
  'sales',
  'accuracy',
  'occupancy',
  'settings',
  'enrolment',
  'alerts',
  'reports',
  'backups',
  'audit',
  'progress',
  'retention',
  'access',
  'first-history',
] as const;

/** The schema of the first release. */
export const firstSchema: SchemaMigration = {
  name: '20261123T0000-first-schema',
  parts: () =>
    Promise.all(
      subjects.map((subject) =>
        readFile(new URL(`20261123T0000-first-schema/${subject}.sql`, import.meta.url), 'utf8'),
      ),
    ),
};
