import { type Problem, wrongValue } from '../file/problem.ts';
import type { Company } from '../file/topology.ts';
import type { Plan } from './plan.ts';

/** The problem with a reference to a store that its company has neither in the file nor in the database. */
export function unknownStore(plan: Plan, company: Company, sid: string, path: string): Problem | undefined {
  const known =
    company.stores.some((store) => store.value.sid === sid) ||
    plan.stored.companies.get(company.key)?.stores.has(sid);
  return known ? undefined : wrongValue(path, sid, `the sid of a store of ${company.name}`);
}
