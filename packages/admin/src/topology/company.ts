import type { StoredTopology } from '@visitor-counter/database/topology/topology';
import { nameKey } from '@visitor-counter/domain/name-key';
import { type ArgumentSpec, command, group } from '../command/command.ts';
import { OperatorError, withChanges } from '../command/context.ts';
import { valueParser } from '../command/options.ts';
import { readTopology } from '../file/read-topology.ts';
import { name } from '../file/values.ts';
import { applyTopology } from './apply-topology.ts';

const companyName: ArgumentSpec<string> = {
  name: '<name>',
  description: 'its name, by which callers of the interface name it',
  parse: valueParser(name),
};

const addCommand = command({
  name: 'add',
  description: 'Add a company.',
  argument: companyName,
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

export const companyCommands = group('company', 'Add a company.', [addCommand]);
