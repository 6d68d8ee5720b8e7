import { saveCompany } from '@visitor-counter/database/configuration/company';
import { mostMonths } from '@visitor-counter/database/configuration/values';
import { type CompanyRetention, listRetention } from '@visitor-counter/database/retention/retention';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { wholeNumber } from '@visitor-counter/service/settings/kinds';
import { command, flag, group, required } from '../command/command.ts';
import { confirm, withDatabase } from '../command/context.ts';
import { findCompany } from '../command/find.ts';
import { company, yes } from '../command/options.ts';
import { type Columns, instantText, inUtc, tableOf } from '../command/text.ts';
import { configure } from '../topology/save-entry.ts';

const listCommand = command({
  name: 'list',
  description: 'List how long companies keep crossings.',
  help: `
JSON: {"companies":[{"company","months" or null,"before":"<instant>" or null}]}`,
  run: async (context) => {
    const companies = await withDatabase(context, ({ kysely }) => listRetention(kysely));
    return {
      json: { companies: companies.map((one) => inUtc(one, 'before')) },
      text: tableOf(companies, columns),
    };
  },
});

function keptText(months: number | null): string {
  if (months === null) return 'for ever';
  return months === 1 ? '1 month' : `${months} months`;
}

const columns: Columns<CompanyRetention> = {
  COMPANY: ({ company }) => company,
  KEEPS: ({ months }) => keptText(months),
  'KEPT FROM': ({ before }) => (before === null ? '-' : instantText(before)),
};

const setCommand = command({
  name: 'set',
  description: 'Set how many months the crossings of a company are kept.',
  options: {
    company: required(company),
    months: {
      value: '<n>',
      description: `1 to ${mostMonths}`,
      kind: wholeNumber(1, mostMonths),
      conflicts: 'forEver',
    },
    forEver: flag('keep crossings for ever; what was removed stays removed', 'months'),
    yes,
  },
  help: `
Crossings that are older are deleted, which begins within seconds, and those that arrive later are refused. Only a
backup restores them. Counts by quarter hour, hour and day are kept for ever. The same as retentionMonths of the company in a file for admin apply.

JSON, which needs --yes with --months: {"company","months" or null}`,
  run: async (context, { company: given, months, forEver, yes, json }) => {
    if (months === undefined && !forEver)
      throw new ConfigurationError(
        '--months',
        undefined,
        `a whole number from 1 to ${mostMonths}, or --for-ever`,
      );
    const kept = months ?? null;
    const { name } = await withDatabase(context, ({ kysely }) => findCompany(kysely, given));
    const question = `Remove the crossings of ${name} that are older than ${keptText(kept)} for good?`;
    if (kept !== null) await confirm(context, question, { yes, json });
    await configure(context, (trx) => saveCompany(trx, { name, retentionMonths: kept }));
    const text = `${name} keeps crossings ${kept === null ? '' : 'for '}${keptText(kept)}`;
    return { json: { company: name, months: kept }, text };
  },
});

export const retentionCommands = group('retention', 'Show and set how long crossings are kept.', [
  listCommand,
  setCommand,
]);
