import type { Owner } from '@visitor-counter/database/configuration/company';
import { expectation } from '@visitor-counter/database/configuration/read-entry';
import {
  type ConfigurationTable,
  removeRow,
  StillUsed,
} from '@visitor-counter/database/configuration/save-row';
import { readSecretsKey } from '@visitor-counter/database/secrets/secrets-key';
import type { Transaction } from '@visitor-counter/database/sql/query-builder';
import type { ValueProblem } from '@visitor-counter/domain/read-value';
import { Refused } from '@visitor-counter/service/errors';
import Type, { type TObject, type TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { parse } from 'yaml';
import { type ArgumentSpec, command, type OptionSpec, type Output, required } from '../command/command.ts';
import { type CommandContext, change, confirm } from '../command/context.ts';
import { findCompany } from '../command/find.ts';
import { company, yes } from '../command/options.ts';
import { kindNames, type OwnList } from '../file/lists.ts';
import { InvalidFileError } from '../file/problems.ts';
import { savedOutput } from './applied.ts';

/* The commands of entities follow from their schemas: a new field is an option of `set` without a line here. */

type Given = Readonly<Record<string, unknown>>;
type FieldOptions = Readonly<Record<string, OptionSpec<string | readonly string[]>>>;

/** Every user of the machine can read arguments. */
const secretFields: ReadonlySet<string> = new Set(['secret', 'value', 'url']);

function isList(schema: TSchema): boolean {
  return Type.IsArray(schema) || (Type.IsUnion(schema) && schema.anyOf.some(Type.IsArray));
}

/** An option for each field of an entry but the one that is the argument. */
export function fieldOptions(schema: TObject, argument?: string): FieldOptions {
  const needed: { readonly required?: readonly string[] } = schema;
  const options = Object.entries(schema.properties).map(([name, property]) => {
    const option: OptionSpec<string | readonly string[]> = {
      value: isList(property) ? '<value...>' : '<value>',
      description: expectation(property),
      required: needed.required?.includes(name) === true,
      ...(secretFields.has(name) && { isSecret: true }),
    };
    return [name, option] as const;
  });
  return Object.fromEntries(options.filter(([name]) => name !== argument));
}

/** The texts of options as a file has them: `null`, or YAML for a field that is no text. */
export function entryOf({ properties }: TObject, texts: Given): Given {
  const fields = Object.entries(properties).filter(([name]) => texts[name] !== undefined);
  return Object.fromEntries(fields.map(([name, schema]) => [name, fieldValue(schema, texts[name])]));
}

function fieldValue(schema: TSchema, given: unknown): unknown {
  const [text, ...others] = Array.isArray(given) ? given : [given];
  if (text === 'null' && others.length === 0 && Check(schema, null)) return null;
  const isText = 'type' in schema && schema.type === 'string';
  if (isText || Array.isArray(given) || Check(schema, given)) return given;
  try {
    return parse(String(text));
  } catch {
    return text;
  }
}

/** The owner of an entry that is saved; `company` is its name, if it is given. */
type FindOwner = (trx: Transaction, company: string | undefined, given: Given) => Promise<Owner>;

interface SetSpec {
  readonly description: string;
  readonly help?: string;
  /** Left out where the company must be named. */
  readonly options?: FieldOptions;
  readonly ownerOf?: FindOwner;
  /** What is asked before what is given is saved; undefined asks nothing. Such a command has `--yes`. */
  readonly questionOf?: (given: Given) => string | undefined;
}

/** The command that adds an entry, or changes the fields that are given. */
export function setCommand(list: OwnList, spec: SetSpec) {
  const { schema, field, kind, read } = list;
  const { ownerOf = (trx, name = '') => findCompany(trx, name), questionOf } = spec;
  const { options = { company: required(company) } } = spec;
  return command({
    name: 'set',
    description: spec.description,
    argument: keyOf(list),
    options: { ...options, ...fieldOptions(schema, field), ...(questionOf && { yes }) },
    help: spec.help ?? '',
    run: async (context, texts: Given, key) => {
      const given = entryOf(schema, { ...texts, [field]: key });
      const owning = typeof texts['company'] === 'string' ? texts['company'] : undefined;
      const problems: ValueProblem[] = [];
      const entry = read(given, '', problems);
      if (entry === undefined || problems.length > 0) throw new InvalidFileError('command line', problems);
      const question = questionOf?.(given);
      if (question) await confirm(context, question);
      const secretsKey = kind === 'alertTarget' ? await readSecretsKey(context.env) : undefined;
      return await change(context, async (trx) => {
        const owner = await ownerOf(trx, owning, given);
        const saved = await entry.save(trx, owner, secretsKey);
        return savedOutput({ kind, key: entry.key, company: owner.name }, saved);
      });
    },
  });
}

function keyOf({ kind, field, schema }: OwnList): ArgumentSpec<string> {
  const property = schema.properties[field];
  return {
    name: `<${field}>`,
    description: `of the ${kindNames[kind]}: ${property && expectation(property)}`,
  };
}

/** The command that removes an entry that was created by mistake; `columnsOf` are the columns that identify it. */
export function removeCommand(
  list: OwnList,
  more: string,
  columnsOf: (key: string) => Given = (key) => ({ [list.field]: key }),
) {
  const name = kindNames[list.kind];
  const table = list.kind === 'report' ? 'mailReport' : list.kind;
  return command({
    name: 'remove',
    description: `Remove the ${name}. ${more}`,
    argument: keyOf(list),
    options: { company: required(company) },
    run: (context, { company }, key) =>
      removeEntry(context, { company, what: `${name} ${key}` }, table, ({ id }) => {
        return { companyId: id, ...columnsOf(key) };
      }),
  });
}

/** Removes what was created by mistake and has no data. `what` is how messages call it, such as `store S-1`. */
export async function removeEntry(
  context: CommandContext,
  { company, what }: { readonly company: string; readonly what: string },
  table: ConfigurationTable,
  columnsOf: (owner: Owner) => Given,
): Promise<Output> {
  const nameIn = ({ name }: Owner) => (table === 'company' ? `company ${name}` : `${what} of ${name}`);
  const owner = await change(context, async (trx) => {
    const owner = await findCompany(trx, company);
    const isRemoved = await removeRow(trx, table, columnsOf(owner)).catch((error: unknown) => {
      if (!(error instanceof StillUsed)) throw error;
      throw new Refused(`the ${nameIn(owner)} cannot be removed: ${error.message}`);
    });
    if (!isRemoved) throw new Refused(`${owner.name} has no ${what}`);
    return owner;
  });
  return { json: { company: owner.name, removed: what }, text: `removed ${nameIn(owner)}` };
}
