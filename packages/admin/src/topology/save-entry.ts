import type { Owner } from '@visitor-counter/database/configuration/company';
import { InvalidField, readEntry } from '@visitor-counter/database/configuration/read-entry';
import { removeRow, StillUsed } from '@visitor-counter/database/configuration/remove';
import {
  type ConfigurationTable,
  changeConfiguration,
  type Saved,
} from '@visitor-counter/database/configuration/save-row';
import type { DB } from '@visitor-counter/database/sql/schema';
import type { ValueProblem } from '@visitor-counter/domain/read-value';
import type { Transaction } from 'kysely';
import type { Static, TObject } from 'typebox';
import type { Output } from '../command/command.ts';
import { type CommandContext, OperatorError, withChanges } from '../command/context.ts';
import { findCompany } from '../command/find.ts';
import { InvalidFileError } from '../file/problems.ts';
import { appliedOutput, type Change, changeOf, secretOf } from './applied.ts';

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

/** What a company owns, as commands name it. */
interface Named {
  readonly company: string;
  readonly kind: Change['kind'];
  readonly key: string;
}

/** Reads what is given as a file has it, saves it, and says what it has changed. */
export async function saveEntry<Schema extends TObject>(
  context: CommandContext,
  { company, kind, key }: Named,
  schema: Schema,
  entry: object,
  save: (trx: Transaction<DB>, owner: Owner, given: Static<Schema>) => Promise<Saved>,
): Promise<Output> {
  const problems: ValueProblem[] = [];
  const given = readEntry(schema, entry, '', problems);
  if (given === undefined || problems.length > 0) throw new InvalidFileError('command line', problems);
  return await configure(context, async (trx) => {
    const owner = await findCompany(trx, company);
    const saved = await save(trx, owner, given);
    const about = { kind, key, company: owner.name };
    const [change, secret] = [changeOf(about, saved), secretOf(about, saved)];
    return appliedOutput({
      changes: change ? [change] : [],
      secrets: secret ? [secret] : [],
      unchanged: change ? 0 : 1,
    });
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
