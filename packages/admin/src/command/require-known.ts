import { findStoreTargets } from '@visitor-counter/database/enrolment/codes';
import { loadTopology } from '@visitor-counter/database/topology/topology';
import { nameKey } from '@visitor-counter/domain/name-key';
import type { Kysely } from 'kysely';
import { OperatorError, unknownCompany } from './context.ts';

/** What an operator has named, to select something by it. */
interface Named {
  readonly company?: string | undefined;
  readonly store?: string | undefined;
  readonly group?: string | undefined;
}

/**
 * Throws OperatorError if there is no such company or store, or no such shop group of the company: a name that is
 * misspelt must not look like an empty list.
 */
export async function requireKnown(db: Kysely<unknown>, { company, store, group }: Named): Promise<void> {
  if (company !== undefined) {
    const { companies } = await loadTopology(db, { companies: [nameKey(company)], devices: [] });
    const known = companies.get(nameKey(company));
    if (known === undefined) throw unknownCompany(company);
    if (group !== undefined && !known.shopGroups.has(nameKey(group)))
      throw new OperatorError(`${known.name} has no shop group ${JSON.stringify(group)}`);
  }
  if (store !== undefined && (await findStoreTargets(db, store, company)).length === 0)
    throw unknownStore(store, company);
}

export function unknownStore(sid: string, company: string | undefined): OperatorError {
  const owner = company === undefined ? '' : ` of ${company}`;
  return new OperatorError(`there is no store ${JSON.stringify(sid)}${owner}; see \`admin store list\``);
}
