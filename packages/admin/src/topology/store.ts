import { listStores } from '@visitor-counter/database/stores/list-stores';
import type { StoredTopology } from '@visitor-counter/database/topology/topology';
import type { TSchema } from 'typebox';
import { type ArgumentSpec, command, group, type OptionSpec, required } from '../command/command.ts';
import { OperatorError, withChanges, withDatabase } from '../command/context.ts';
import { accept, company, parseLabel, valueParser } from '../command/options.ts';
import { requireKnown } from '../command/require-known.ts';
import { plain, table } from '../command/text.ts';
import { freeText, name, timeOfDay, timeZone } from '../file/values.ts';
import { applyEntry } from './apply-topology.ts';

function field(value: string, description: string, schema: TSchema): OptionSpec<string> {
  return { value, description, parse: valueParser(schema) };
}

const sid: ArgumentSpec<string> = {
  name: '<sid>',
  description: "the company's own id for the store",
  parse: parseLabel,
};

const addCommand = command({
  name: 'add',
  description: 'Add a store to a company.',
  argument: sid,
  options: {
    company: required(company),
    name: required(field('<name>', 'its name', name)),
    timeZone: required(field('<zone>', 'its IANA time zone, such as Europe/Berlin', timeZone)),
    address: field('<text>', 'its address', freeText),
    city: field('<text>', 'its city', freeText),
    dayStartsAt: field('<HH:MM>', 'when its business day begins (default: 00:00)', timeOfDay),
    capacity: {
      value: '<n>',
      description: 'how many people may be inside',
      parse: (text: string) =>
        Number(accept(/^[1-9]\d{0,6}$/.test(text), text, 'a whole number, 1 to 1000000')),
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
    await withChanges(context, (db, author) => applyEntry(db, author, entry, { check }));
    return { json: { sid, company }, text: `added store ${sid} to ${company}` };
  },
});

const listCommand = command({
  name: 'list',
  description: 'List stores: company, sid, name, time zone, start of the business day, devices.',
  options: { company },
  run: async (context, { company }) => {
    const stores = await withDatabase(context, async ({ kysely }) => {
      await requireKnown(kysely, { company });
      return listStores(kysely, company);
    });
    const text = table(
      ['COMPANY', 'SID', 'NAME', 'TIME ZONE', 'DAY STARTS', 'CAPACITY', 'DEVICES'],
      stores.map((one) => [
        plain(one.company),
        plain(one.sid),
        plain(one.name),
        one.timeZone,
        one.dayStartsAt,
        one.capacity === null ? '-' : String(one.capacity),
        String(one.devices),
      ]),
    );
    return { json: stores, text };
  },
});

export const storeCommands = group('store', 'Add a store, or list the stores.', [addCommand, listCommand]);
