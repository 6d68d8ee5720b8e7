import { readFile } from 'node:fs/promises';

/** One change of the schema. */
export interface SchemaMigration {
  /** Begins with its time: migrations are applied in the order of their names. */
  readonly name: string;
  /** Its SQL: the texts of its files, in their order. */
  readonly parts: () => Promise<readonly string[]>;
}

/** A migration whose SQL is in a folder of its name: one file for each subject, in the order of their references. */
function migration(name: string, subjects: readonly string[]): SchemaMigration {
  const read = (subject: string) => readFile(new URL(`${name}/${subject}.sql`, import.meta.url), 'utf8');
  return { name, parts: () => Promise.all(subjects.map(read)) };
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
