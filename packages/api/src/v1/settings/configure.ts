import type { Owner } from '@visitor-counter/database/configuration/company';
import { InvalidField, readEntry } from '@visitor-counter/database/configuration/read-entry';
import { changeConfiguration } from '@visitor-counter/database/configuration/save-row';
import type { DB } from '@visitor-counter/database/sql/schema';
import type { ValueProblem } from '@visitor-counter/domain/read-value';
import type { Transaction } from 'kysely';
import type { Static, TObject } from 'typebox';
import { Check } from 'typebox/value';
import {
  invalidParameter,
  missingParameter,
  type Problem,
  unknownName,
  unknownResource,
} from '../../problems/problems.ts';
import type { RouteRequest, RouteResources } from '../routing/route.ts';
import { fieldsIn } from '../routing/values.ts';

/** What is given in a body. Empty values count as not given, except null where it means something. Throws the first problem. */
export function readGiven<Schema extends TObject>(schema: Schema, sent: unknown): Static<Schema> {
  const given = Object.entries(fieldsIn(sent)).filter(([name, value]) => {
    const property = schema.properties[name];
    return value !== '' && !(value === null && property && !Check(property, null));
  });
  return readPart(schema, Object.fromEntries(given), '');
}

/** The items of a body with nothing else. Throws the first of their problems. */
export function readItems<Schema extends TObject>(
  schema: Schema,
  sent: unknown,
  most: number,
): Static<Schema>[] {
  const { items, ...others } = fieldsIn(sent);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw unknownName(unknown, ['items']);
  if (items === undefined) throw missingParameter('items');
  if (!Array.isArray(items) || items.length > most)
    throw invalidParameter('items', items, `a list of at most ${most} items`);
  return items.map((item: unknown, index) => readPart(schema, item, `items[${index}]`));
}

function readPart<Schema extends TObject>(schema: Schema, value: unknown, path: string): Static<Schema> {
  const problems: ValueProblem[] = [];
  const given = readEntry(schema, value, path, problems);
  const [problem] = problems;
  if (given === undefined || problem !== undefined) throw problemOf(problem);
  return given;
}

/** Changes configuration of the company of a caller, in one transaction. */
export async function configure<Result>(
  { author, caller }: Pick<RouteRequest<unknown, unknown>, 'author' | 'caller'>,
  { database }: Pick<RouteResources, 'database'>,
  change: (trx: Transaction<DB>, owner: Owner) => Promise<Result>,
): Promise<Result> {
  const owner = { id: caller.companyId, name: caller.company };
  return await changeConfiguration(database.kysely, author, (trx) => change(trx, owner)).catch(
    (error: unknown) => {
      if (!(error instanceof InvalidField)) throw error;
      const [problem] = error.problems;
      if (error.unknown === undefined) throw problemOf(problem);
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

function problemOf(problem: ValueProblem = { path: '', value: '', expected: '' }): Problem {
  if (problem.known !== undefined) return unknownName(problem.path, problem.known);
  const { path, value, expected } = problem;
  return value === undefined ? missingParameter(path) : invalidParameter(path, value, expected);
}
