import { findOwner, listCompanies, saveCompany } from '@visitor-counter/database/configuration/company';
import { dayStart, freeText, name, timeZone } from '@visitor-counter/database/configuration/values';
import { findStores, listStores } from '@visitor-counter/database/stores/stores';
import { nameKey } from '@visitor-counter/domain/name-key';
import { wholeNumber } from '@visitor-counter/service/settings/kinds';
import type { TSchema } from 'typebox';
import { type ArgumentSpec, command, group, type OptionSpec, required } from '../command/command.ts';
import { OperatorError } from '../command/context.ts';
import { listCommand } from '../command/find.ts';
import { company, kindOf, labelKind, nameKind } from '../command/options.ts';
import { configure, removeEntry, saveEntry } from './save-entry.ts';

const companyName: ArgumentSpec<string> = {
  name: '<name>',
  description: 'its name, which callers of the interface use',
  kind: nameKind,
};

const addCompany = command({
  name: 'add',
  description: 'Add a company.',
  argument: companyName,
  help: `
Its stores, devices and credentials follow: admin store add, admin device add, admin token issue.

Example:
  admin company add Acme`,
  run: async (context, _options, name) => {
    await configure(context, async (trx) => {
      if (await findOwner(trx, name))
        throw new OperatorError(`there is a company ${JSON.stringify(name)} already`);
      await saveCompany(trx, { name });
    });
    return { json: { name }, text: `added company ${name}` };
  },
});

const listCompaniesCommand = listCommand(
  'List companies: name, stores, devices in use, and for how many months crossings are kept.',
  listCompanies,
  {
    NAME: (one) => one.name,
    STORES: ({ stores }) => String(stores),
    DEVICES: ({ devices }) => String(devices),
    'KEEPS MONTHS': ({ retentionMonths }) => String(retentionMonths ?? '-'),
  },
);

const removeCompany = command({
  name: 'remove',
  description: 'Remove a company that was added by mistake and has nothing.',
  argument: companyName,
  run: (context, _options, company) =>
    removeEntry(context, { company, what: 'company' }, 'company', ({ id }) => ({ id })),
});

export const companyCommands = group('company', 'Add, list or remove companies.', [
  addCompany,
  listCompaniesCommand,
  removeCompany,
]);

function field(value: string, description: string, schema: TSchema): OptionSpec<string> {
  return { value, description, kind: kindOf(schema) };
}

const storeSid: ArgumentSpec<string> = {
  name: '<sid>',
  description: "the company's own id for the store",
  kind: labelKind,
};

const addStore = command({
  name: 'add',
  description: 'Add a store to a company.',
  argument: storeSid,
  options: {
    company: required(company),
    name: required(field('<name>', 'its name', name)),
    timeZone: required(field('<zone>', 'its IANA time zone, such as Europe/Berlin', timeZone)),
    address: field('<text>', 'its address', freeText),
    city: field('<text>', 'its city', freeText),
    dayStartsAt: field('<HH:MM>', 'when its business day begins (default: 00:00)', dayStart),
    capacity: {
      value: '<n>',
      description: 'how many people may be inside',
      kind: wholeNumber(1, 1_000_000),
    },
  },
  help: `
A store that exists is not changed: apply a file for that (admin apply --help).

Example:
  admin store add S-2 --company Acme --name "Second Street" --time-zone America/Los_Angeles`,
  run: async (context, { company, json: _json, ...fields }, sid) => {
    await saveEntry(context, company, 'stores', { sid, ...fields }, async (trx, owner) => {
      if ((await findStores(trx, sid, owner.name)).length > 0)
        throw new OperatorError(`${company} has a store ${JSON.stringify(sid)} already`);
    });
    return { json: { sid, company }, text: `added store ${sid} to ${company}` };
  },
});

const listStoresCommand = listCommand(
  'List stores: company, sid, name, time zone, start of the business day, capacity, devices.',
  listStores,
  {
    COMPANY: (store) => store.company,
    SID: ({ sid }) => sid,
    NAME: (store) => store.name,
    'TIME ZONE': (store) => store.timeZone,
    'DAY STARTS': ({ dayStartsAt }) => dayStartsAt,
    CAPACITY: ({ capacity }) => (capacity === null ? '-' : String(capacity)),
    DEVICES: ({ devices }) => String(devices),
  },
);

const removeStore = command({
  name: 'remove',
  description: 'Remove a store that was added by mistake and has no devices and no data.',
  argument: storeSid,
  options: { company: required(company) },
  run: (context, { company }, sid) =>
    removeEntry(context, { company, what: `store ${JSON.stringify(sid)}` }, 'store', ({ id }) => {
      return { companyId: id, sid };
    }),
});

export const storeCommands = group('store', 'Add, list or remove stores.', [
  addStore,
  listStoresCommand,
  removeStore,
]);

const removeGroup = command({
  name: 'remove',
  description: 'Remove a shop group; its stores remain.',
  argument: { name: '<name>', description: 'the shop group, by its name', kind: nameKind },
  options: { company: required(company) },
  run: (context, { company }, name) =>
    removeEntry(context, { company, what: `shop group ${JSON.stringify(name)}` }, 'shopGroup', ({ id }) => {
      return { companyId: id, nameKey: nameKey(name) };
    }),
});

export const groupCommands = group('group', 'Remove shop groups; `apply` adds and changes them.', [
  removeGroup,
]);
