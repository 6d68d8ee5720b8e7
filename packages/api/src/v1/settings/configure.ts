import type { Owner } from '@visitor-counter/database/configuration/company';
import { InvalidField } from '@visitor-counter/database/configuration/read-entry';
import { changeConfiguration } from '@visitor-counter/database/configuration/save-row';
import type { Transaction } from '@visitor-counter/database/sql/query-builder';
import { unknownResource } from '../../problems/problems.ts';
import type { Resources } from '../../resources.ts';
import type { RouteRequest } from '../routing/route.ts';
import { problemOfValue } from '../routing/values.ts';

/** Changes configuration of the company of a caller, in one transaction. */
export async function configure<Result>(
  { author, caller }: Pick<RouteRequest<unknown, unknown>, 'author' | 'caller'>,
  { database }: Pick<Resources, 'database'>,
  change: (trx: Transaction, owner: Owner) => Promise<Result>,
): Promise<Result> {
  const owner = { id: caller.companyId, name: caller.company };
  return await changeConfiguration(database.kysely, author, (trx) => change(trx, owner)).catch(
    (error: unknown) => {
      if (!(error instanceof InvalidField)) throw error;
      const [problem] = error.problems;
      if (error.unknown === undefined) throw problemOfValue(problem);
      throw unknownResource(error.unknown, (problem?.path ?? '').replace(/\[\d+\]$/, ''));
    },
  );
}

/** A problem of an item of a list. */
export function atItem(index: number) {
  return (error: unknown): never => {
    if (!(error instanceof InvalidField)) throw error;
    const problems = error.problems.map((one) => ({ ...one, path: `items[${index}].${one.path}` }));
    throw new InvalidField(problems, error.unknown);
  };
}
