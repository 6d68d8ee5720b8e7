import type { Owner } from '@visitor-counter/database/configuration/company';
import { InvalidField } from '@visitor-counter/database/configuration/read-entry';
import { removeRow, StillUsed } from '@visitor-counter/database/configuration/remove';
import {
  type ConfigurationTable,
  changeConfiguration,
} from '@visitor-counter/database/configuration/save-row';
import { readSecretsKey } from '@visitor-counter/database/secrets/secrets-key';
import type { DB } from '@visitor-counter/database/sql/schema';
import type { ValueProblem } from '@visitor-counter/domain/read-value';
import type { Transaction } from 'kysely';
import type { Output } from '../command/command.ts';
import { type CommandContext, OperatorError, withChanges } from '../command/context.ts';
import { findCompany } from '../command/find.ts';
import { lists } from '../file/lists.ts';
import { InvalidFileError } from '../file/problems.ts';
import { savedOutput } from './applied.ts';

/** Changes configuration as the operator, in one transaction. Throws InvalidFileError for what cannot be saved. */
export async function configure<Result>(
  context: CommandContext,
  change: (trx: Transaction<DB>) => Promise<Result>,
): Promise<Result> {
  return await withChanges(context, ({ kysely }, author) =>
    changeConfiguration(kysely, author, change),
  ).catch((error: unknown) => {
    throw error instanceof InvalidField ? new InvalidFileError('command line', error.problems) : error;
  });
}

/** Reads what is given as a file has it, saves it, and says what it has changed. */
export async function saveEntry(
  context: CommandContext,
  company: string,
  list: keyof typeof lists,
  given: object,
  require: (trx: Transaction<DB>, owner: Owner) => Promise<void> = async () => {},
): Promise<Output> {
  const problems: ValueProblem[] = [];
  const entry = lists[list].read(given, '', problems);
  if (entry === undefined || problems.length > 0) throw new InvalidFileError('command line', problems);
  const secretsKey = list === 'alertTargets' ? await readSecretsKey(context.env) : undefined;
  return await configure(context, async (trx) => {
    const owner = await findCompany(trx, company);
    await require(trx, owner);
    const saved = await entry.save(trx, owner, secretsKey);
    return savedOutput({ kind: entry.kind, key: entry.key, company: owner.name }, saved);
  });
}

/** Removes what was created by mistake and has no data. `what` is how messages call it, such as `store "S-1"`. */
export async function removeEntry(
  context: CommandContext,
  { company, what }: { readonly company: string; readonly what: string },
  table: ConfigurationTable,
  keyOf: (owner: Owner) => Readonly<Record<string, unknown>>,
): Promise<Output> {
  const owner = await configure(context, async (trx) => {
    const owner = await findCompany(trx, company);
    const isRemoved = await removeRow(trx, table, keyOf(owner)).catch((error: unknown) => {
      if (!(error instanceof StillUsed)) throw error;
      throw new OperatorError(`the ${what} of ${owner.name} cannot be removed: ${error.message}`);
    });
    if (!isRemoved) throw new OperatorError(`${owner.name} has no ${what}`);
    return owner;
  });
  return { json: { company: owner.name, removed: what }, text: `removed ${what} of ${owner.name}` };
}
