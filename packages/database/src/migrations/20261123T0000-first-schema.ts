import { readFile } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';

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
  'occupancy',
  'enrolment',
  'alerts',
  'backups',
  'audit',
  'progress',
  'retention',
  'access',
] as const;

/** Creates the schema of the first release, and records that its first history begins. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const subject of subjects) {
    const file = new URL(`20261123T0000-first-schema/${subject}.sql`, import.meta.url);
    await sql.raw(await readFile(file, 'utf8')).execute(db);
  }
  await sql`insert into history (origin, after_transaction) values (history_origin(), 0)`.execute(db);
}
