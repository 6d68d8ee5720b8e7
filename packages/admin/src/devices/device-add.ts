import type { StoredTopology } from '@visitor-counter/database/topology/topology';
import { nameKey } from '@visitor-counter/domain/name-key';
import { command, required, textOption } from '../command/command.ts';
import { OperatorError, withChanges } from '../command/context.ts';
import { checkSecret, company, deviceFilter, serialArgument, valueParser } from '../command/options.ts';
import { name } from '../file/values.ts';
import { applyEntry } from '../topology/apply-topology.ts';
import { findStore } from './find-devices.ts';

export const addCommand = command({
  name: 'add',
  description: 'Register a new device in a store, and print its secret.',
  argument: serialArgument,
  options: {
    store: required({ ...deviceFilter.store, description: 'the store, by its sid' }),
    company,
    name: {
      value: '<name>',
      description: 'its name; the serial number when left out',
      parse: valueParser(name),
    },
    secret: textOption('<secret>', 'its secret, at least 16 characters; generated when left out'),
  },
  help: `
The secret is printed only once and not stored: the unit needs the serial number and the secret. A unit that enrols with
a code (admin enrolment create) registers itself, and needs neither.

Example:
  admin device add CU-0002 --store S-1 --name "Back door"`,
  run: async (context, { store, company, name, secret }, serial) => {
    checkSecret('--secret', secret);
    const added = await withChanges(context, async (db, author) => {
      const { company: owner } = await findStore(db.kysely, store, company);
      const entry = { company: owner, list: 'devices', entry: { serial, store, name, secret } } as const;
      const check = ({ devices }: StoredTopology) => {
        if (devices.has(nameKey(serial))) throw isRegistered(serial);
      };
      const { secrets } = await applyEntry(db, author, entry, { check });
      const [generated] = secrets;
      const shown = generated && 'secret' in generated ? generated.secret : null;
      return { serial, company: owner, store, secret: shown };
    });
    const shown = added.secret === null ? '' : `\n\nShown only this once:\n  ${added.secret}`;
    return { json: added, text: `added device ${serial} to store ${store} of ${added.company}${shown}` };
  },
});

function isRegistered(serial: string): OperatorError {
  const ways = `move it with \`admin device move ${serial}\`, or replace its unit with \`admin device replace ${serial}\``;
  return new OperatorError(`device ${serial} is registered already: ${ways}`);
}
