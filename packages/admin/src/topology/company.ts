import { listStores } from '@visitor-counter/database/stores/stores';
import type { StoredTopology } from '@visitor-counter/database/topology/topology';
import { nameKey } from '@visitor-counter/domain/name-key';
import { wholeNumber } from '@visitor-counter/service/settings/kinds';
import type { TSchema } from 'typebox';
import { command, group, type OptionSpec, required } from '../command/command.ts';
import { OperatorError, withChanges } from '../command/context.ts';
import { listCommand } from '../command/find.ts';
import { company, kindOf, labelKind, nameKind } from '../command/options.ts';
import { readTopology } from '../file/read-topology.ts';
import { dayStart, freeText, name, timeZone } from '../file/values.ts';
import { applyEntry, applyTopology } from './apply-topology.ts';

const addCompany = command({
  name: 'add',
  description: 'Add a company.',
  argument: {
    name: '<name>',
    description: 'its name, which callers of the interface use',
    kind: nameKind,
  },
  help: `
Its stores, devices and credentials follow: admin store add, admin device add, admin token issue.

Example:
  admin company add Acme`,
  run: async (context, _options, name) => {
    const read = readTopology(JSON.stringify({ companies: [{ name }] }));
    const check = ({ companies }: StoredTopology) => {
      if (companies.has(nameKey(name)))
        throw new OperatorError(`there is a company ${JSON.stringify(name)} already`);
    };
    await withChanges(context, (db, author) => applyTopology(db, author, 'command line', read, { check }));
    return { json: { name }, text: `added company ${name}` };
  },
});

export const companyCommands = group('company', 'Add a company.', [addCompany]);

function field(value: string, description: string, schema: TSchema): OptionSpec<string> {
  return { value, description, kind: kindOf(schema) };
}

const addStore = command({
  name: 'add',
  description: 'Add a store to a company.',
  argument: { name: '<sid>', description: "the company's own id for the store", kind: labelKind },
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
    const entry = { company, list: 'stores', entry: { sid, ...fields } } as const;
    const check = ({ companies }: StoredTopology) => {
      const isThere = [...companies.values()].some(({ stores }) => stores.has(sid));
      if (isThere) throw new OperatorError(`${company} has a store ${JSON.stringify(sid)} already`);
    };
    await applyEntry(context, entry, check);
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

export const storeCommands = group('store', 'Add a store, or list the stores.', [
  addStore,
  listStoresCommand,
]);
