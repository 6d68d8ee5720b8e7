import type { Database } from '@visitor-counter/database/sql/connect';
import { nameKey } from '@visitor-counter/domain/name-key';
import { unknownCompany } from '../credentials/issue-credential.ts';
import { type Applied, applyTopology } from './apply-topology.ts';
import { readTopology } from './file/read-topology.ts';

/**
 * Applies one entry of a company that is there already, as a topology file would have it. Throws OperatorError
 * unknown-company, and InvalidFileError for what the entry lacks.
 */
export async function applyEntry(
  db: Database,
  company: string,
  list: 'alertRules' | 'alertTargets',
  entry: object,
): Promise<Applied> {
  const known = await db.kysely
    .selectFrom('company')
    .select('name')
    .where('name_key', '=', nameKey(company))
    .executeTakeFirst();
  if (known === undefined) throw unknownCompany(company);
  const text = JSON.stringify({ companies: [{ name: known.name, [list]: [entry] }] });
  return applyTopology(db, 'command line', readTopology(text));
}
